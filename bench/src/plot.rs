//! Plots of the report, as SVG files beside it.

use std::path::Path;

use plotters::prelude::*;

use crate::Error;

const SIZE: (u32, u32) = (800, 420);
/// Dark enough on white, and told apart without colours by their order in the legend.
const COLORS: [RGBColor; 8] = [
    RGBColor(0x1f, 0x77, 0xb4),
    RGBColor(0xd6, 0x27, 0x28),
    RGBColor(0x2c, 0xa0, 0x2c),
    RGBColor(0x94, 0x67, 0xbd),
    RGBColor(0xff, 0x7f, 0x0e),
    RGBColor(0x17, 0xbe, 0xcf),
    RGBColor(0x8c, 0x56, 0x4b),
    RGBColor(0x44, 0x44, 0x44),
];

/// Lines over one axis.
pub(crate) struct Plot {
    /// File name without `.svg`.
    pub(crate) name: &'static str,
    pub(crate) title: String,
    /// What is on the axes.
    pub(crate) x: String,
    pub(crate) y: String,
    pub(crate) series: Vec<Series>,
}

/// One line.
pub(crate) struct Series {
    pub(crate) name: String,
    pub(crate) points: Vec<(f64, f64)>,
}

/// A histogram as the outline of its bars: how many of the values are in each of so many steps
/// from 0 to `end`. What is beyond is left out.
pub(crate) fn outline(values: &[f64], end: f64, steps: usize) -> Vec<(f64, f64)> {
    let width = end / steps.max(1) as f64;
    let mut counts = vec![0_u32; steps];
    for value in values {
        if let Some(count) = counts.get_mut((value / width) as usize) {
            *count += 1;
        }
    }
    let bar = |(step, count): (usize, u32)| {
        let (from, height) = (step as f64 * width, f64::from(count));
        [(from, height), (from + width, height)]
    };
    counts.into_iter().enumerate().flat_map(bar).collect()
}

impl Plot {
    /// Writes `NAME.svg` into the folder.
    pub(crate) fn write(&self, folder: &Path) -> Result<(), Error> {
        let file = folder.join(format!("{}.svg", self.name));
        self.draw(&file)
            .map_err(|error| format!("cannot draw {}: {error}", file.display()).into())
    }

    fn draw(&self, file: &Path) -> Result<(), Box<dyn std::error::Error>> {
        let root = SVGBackend::new(file, SIZE).into_drawing_area();
        root.fill(&WHITE)?;
        let points = || self.series.iter().flat_map(|series| &series.points);
        let end = |values: &mut dyn Iterator<Item = f64>| values.fold(0.0, f64::max).max(1e-9);
        // The legend has the right end to itself.
        let right = end(&mut points().map(|point| point.0)) * 1.5;
        let top = end(&mut points().map(|point| point.1)) * 1.05;
        let mut chart = ChartBuilder::on(&root)
            .caption(&self.title, ("sans-serif", 20))
            .margin(12)
            .x_label_area_size(40)
            .y_label_area_size(64)
            .build_cartesian_2d(0.0..right, 0.0..top)?;
        chart
            .configure_mesh()
            .x_desc(&self.x)
            .y_desc(&self.y)
            .light_line_style(WHITE)
            .draw()?;
        for (series, color) in self.series.iter().zip(COLORS.iter().cycle()) {
            chart
                .draw_series(LineSeries::new(
                    series.points.iter().copied(),
                    color.stroke_width(2),
                ))?
                .label(&series.name)
                .legend(|(x, y)| PathElement::new([(x, y), (x + 16, y)], color.stroke_width(2)));
        }
        if self.series.len() > 1 {
            chart
                .configure_series_labels()
                .position(SeriesLabelPosition::UpperRight)
                .background_style(WHITE.mix(0.8))
                .border_style(BLACK)
                .draw()?;
        }
        root.present()?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_histogram_counts_each_value_once_and_leaves_out_what_is_beyond() {
        let points = outline(&[0.1, 0.2, 1.5, 9.0], 2.0, 2);
        assert_eq!(points, [(0.0, 2.0), (1.0, 2.0), (1.0, 1.0), (2.0, 1.0)]);
    }

    #[test]
    fn a_plot_is_an_svg_file_with_its_words() {
        let folder = std::env::temp_dir().join(format!("plot-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let plot = Plot {
            name: "some",
            title: "Some title".into(),
            x: "seconds".into(),
            y: "rows".into(),
            series: ["one", "two"]
                .map(|name| Series {
                    name: name.into(),
                    points: vec![(0.0, 1.0), (1.0, 2.0)],
                })
                .into(),
        };
        plot.write(&folder).unwrap();
        let text = std::fs::read_to_string(folder.join("some.svg")).unwrap();
        std::fs::remove_dir_all(&folder).unwrap();
        for word in ["<svg", "Some title", "seconds", "rows", "one", "two"] {
            assert!(text.contains(word), "{word} in {text}");
        }
    }
}
