//! What `mirror top` draws.

use std::time::Instant;

use indicatif::{HumanBytes, HumanCount};
use mirror_runtime::{Health, Status, TableStatus};
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Cell, Paragraph, Row, Table, Wrap};

use crate::status::facts;

/// Lines that the last line of the log may take.
const LOG_LINES: u16 = 3;
/// Columns of a terminal below which only the first columns of the table are shown.
const NARROW: u16 = 76;

/// What happened in a second, between two looks.
#[derive(Default)]
pub(super) struct Rates {
    transactions: Option<f64>,
    /// By table index.
    changes: Vec<Option<f64>>,
}

impl Rates {
    /// Nothing is known at the first look, and of a table that was loaded or emptied meanwhile.
    pub(super) fn between(
        before: Option<&(Instant, Status)>,
        now: Instant,
        status: &Status,
    ) -> Self {
        let Some((then, before)) = before else {
            return Self::default();
        };
        let seconds = now.duration_since(*then).as_secs_f64().max(0.001);
        let rate = |old: u64, new: u64| new.checked_sub(old).map(|count| count as f64 / seconds);
        let tables = before.tables.iter().zip(&status.tables);
        Self {
            transactions: rate(before.transactions, status.transactions),
            changes: tables
                .map(|(before, table)| rate(before.changes, table.changes))
                .collect(),
        }
    }
}

/// Draws the status, and the last line of the log.
pub(super) fn draw(frame: &mut Frame<'_>, status: &Status, rates: &Rates, log: &str) {
    let facts = facts(status);
    let [head, body, logged, foot] = Layout::vertical([
        Constraint::Length(u16::try_from(facts.len() + 1).unwrap_or(u16::MAX)),
        Constraint::Min(1),
        Constraint::Length(u16::from(!log.is_empty()) * LOG_LINES),
        Constraint::Length(1),
    ])
    .areas(frame.area());
    let colour = match status.health() {
        Health::Healthy => Color::Green,
        Health::Starting | Health::Stale(_) => Color::Yellow,
        Health::Unhealthy(_) => Color::Red,
    };
    let lines = facts.into_iter().map(|(name, value)| {
        let style = match name {
            "state" => Style::new().fg(colour).add_modifier(Modifier::BOLD),
            _ => Style::new(),
        };
        Line::from(vec![
            Span::styled(format!("{name:<12} "), Style::new().fg(Color::DarkGray)),
            Span::styled(value, style),
        ])
    });
    frame.render_widget(Paragraph::new(lines.collect::<Vec<_>>()), head);
    frame.render_widget(tables(status, rates, body.width), body);
    let log = Paragraph::new(log).wrap(Wrap { trim: true });
    frame.render_widget(log.style(Style::new().fg(Color::Yellow)), logged);
    let room = usize::from(body.height.saturating_sub(1));
    let hidden = status.tables.len().saturating_sub(room);
    let hidden = match hidden {
        0 => String::new(),
        tables => format!("{tables} more tables    "),
    };
    let rate = rates.transactions.map_or("-".into(), count);
    let foot_line = format!("{rate} transactions/s    {hidden}q: end");
    frame.render_widget(
        Paragraph::new(foot_line).style(Style::new().fg(Color::DarkGray)),
        foot,
    );
}

fn tables<'a>(status: &'a Status, rates: &Rates, width: u16) -> Table<'a> {
    let shown = if width < NARROW { 3 } else { 7 };
    let mut rows: Vec<(usize, &TableStatus)> = status.tables.iter().enumerate().collect();
    let rate_of = |index: usize| rates.changes.get(index).copied().flatten().unwrap_or(0.0);
    // The busiest first, then the largest.
    rows.sort_by(|(one, a), (other, b)| {
        let by_rate = rate_of(*other).total_cmp(&rate_of(*one));
        by_rate.then(b.memory_bytes().cmp(&a.memory_bytes()))
    });
    let cells = rows.into_iter().map(|(index, table)| {
        let state = match table {
            TableStatus {
                suspect: Some(_), ..
            } => "suspect",
            TableStatus { loading: true, .. } => "loading",
            _ => "",
        };
        let changes = rates.changes.get(index).copied().flatten();
        let style = match state {
            "suspect" => Style::new().fg(Color::Red),
            "loading" => Style::new().fg(Color::Yellow),
            _ => Style::new(),
        };
        let number = |text: String| Cell::from(Line::from(text).right_aligned());
        let cells = [
            Cell::from(table.table.as_str()),
            number(HumanCount(table.rows).to_string()),
            number(changes.map_or("-".into(), count)),
            number(HumanBytes(table.memory_bytes() as u64).to_string()),
            number(table.reloads.to_string()),
            number(table.divergences.to_string()),
            Cell::from(state),
        ];
        Row::new(cells.into_iter().take(shown)).style(style)
    });
    let header = [
        "TABLE",
        "ROWS",
        "CHANGES/S",
        "MEMORY",
        "LOADS",
        "DIVERG.",
        "",
    ];
    let header = header
        .iter()
        .enumerate()
        .map(|(column, name)| match column {
            0 | 6 => Cell::from(*name),
            _ => Cell::from(Line::from(*name).right_aligned()),
        });
    let widths = [
        Constraint::Min(16),
        Constraint::Length(12),
        Constraint::Length(10),
        Constraint::Length(11),
        Constraint::Length(5),
        Constraint::Length(7),
        Constraint::Length(7),
    ];
    Table::new(cells, widths.into_iter().take(shown))
        .header(Row::new(header).style(Style::new().add_modifier(Modifier::BOLD)))
}

/// A rate in a few characters.
fn count(rate: f64) -> String {
    match rate {
        rate if rate >= 10_000_000.0 => format!("{:.0} M", rate / 1e6),
        rate if rate >= 10_000.0 => format!("{:.0} k", rate / 1e3),
        rate if rate >= 100.0 || rate == 0.0 => format!("{rate:.0}"),
        rate => format!("{rate:.1}"),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use mirror_runtime::store::TableMemory;
    use mirror_runtime::{BinlogPosition, State};
    use ratatui::Terminal;
    use ratatui::backend::TestBackend;

    use super::*;

    fn table(name: &str, rows: u64, changes: u64) -> TableStatus {
        TableStatus {
            table: format!("ads.{name}"),
            rows,
            memory: TableMemory {
                rows: rows as usize,
                versions: rows as usize + 3,
                row_bytes: rows as usize * 150,
                index_bytes: rows as usize * 20,
            },
            changes,
            estimated_rows: rows,
            loading: false,
            reloads: 0,
            divergences: 0,
            suspect: None,
        }
    }

    fn status(transactions: u64, changes: u64) -> Status {
        Status {
            state: State::Live,
            server: "db1.example:3306".into(),
            tables: vec![
                table("advertiser", 1_204, 0),
                table("campaign", 48_310, changes / 20),
                table("long_table_of_a_long_name", 12_000_000, changes),
            ],
            position: Some(BinlogPosition::new("binlog.000042", 918_273_645)),
            gtid: None,
            transactions,
            commit_to_visible: Some(Duration::from_micros(460)),
            silent_for: Some(Duration::from_millis(12)),
            reconnects: 1,
            connection_attempts: 3,
            reloads: 0,
            last_loss: None,
            last_reload: None,
            load_time: None,
            oldest_snapshot: None,
            loading_for: None,
            checkpoint: None,
        }
    }

    fn screen(width: u16, height: u16, log: &str) -> String {
        let then = Instant::now();
        let before = (then, status(1_000, 5_000));
        let now = then + Duration::from_secs(2);
        let status = status(5_600, 90_000);
        let rates = Rates::between(Some(&before), now, &status);
        let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        terminal
            .draw(|frame| draw(frame, &status, &rates, log))
            .unwrap();
        let buffer = terminal.backend().buffer().clone();
        let lines = buffer.content().chunks(width.into()).map(|line| {
            let line: String = line.iter().map(|cell| cell.symbol()).collect();
            line.trim_end().to_owned()
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    /// What docs/status.md shows.
    #[test]
    fn the_screen_is_the_one_in_the_docs_and_fits_80_columns() {
        let screen = screen(80, 13, "");
        let docs = include_str!("../../../docs/status.md");
        assert!(docs.contains(&screen), "docs/status.md lacks:\n{screen}");
        assert!(screen.lines().all(|line| line.chars().count() <= 80));
    }

    #[test]
    fn a_narrow_terminal_shows_whole_columns_and_says_what_is_left_out() {
        let log = "WARN connecting again error=the connection to the server broke";
        let screen = screen(50, 14, log);
        assert!(
            screen.contains("12,000,000") && !screen.contains("MEMORY"),
            "{screen}"
        );
        assert!(
            screen.contains("connecting again") && screen.contains("more tables"),
            "{screen}"
        );
    }

    #[test]
    fn a_small_terminal_is_no_error() {
        for (width, height) in [(1, 1), (20, 3), (40, 5)] {
            let _ = screen(width, height, "WARN connecting again");
        }
    }
}
