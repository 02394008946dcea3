//! How the row images of one table map give the columns that were compiled in.

use std::borrow::Cow;
use std::sync::Arc;

use super::LayoutMismatch;
use super::locate::Steps;
use super::matching::{check_column, mismatch};
use super::place::{are_places, is_straight};
use super::reader::RowReader;
use super::row_image::{ColumnDefault, ImageColumn};
use super::rows_event::RowsEvent;
use super::table_map::TableMap;
use super::type_code;
use super::wire_type::{Width, WireColumn};
use crate::charset::Charset;
use crate::layout::TableLayout;
use crate::source::{Collations, Family};

/// Where the mirrored columns are in the row images of one table map.
///
/// Made once per TABLE_MAP event; [`reader`](Self::reader) then goes through rows events.
#[derive(Debug, Clone)]
pub struct Plan {
    layout: &'static TableLayout,
    /// By field index.
    columns: Vec<ImageColumn>,
    /// By position in the table.
    physical: Vec<(WireColumn, Width)>,
    /// Field index by position in the table.
    fields: Vec<Option<usize>>,
    /// Steps through images that have every column.
    full: Steps,
    /// Whether these find the columns in their compiled places.
    exact: bool,
    /// Whether, besides, there are no other columns: images can be read in one go.
    straight: bool,
    /// By field index; empty when they are not known.
    defaults: Arc<[ColumnDefault]>,
}

impl Plan {
    /// Finds every mirrored column of `layout` in the table of `map` and compares its type.
    ///
    /// Columns are found by name where the server sends names (`binlog_row_metadata=FULL`):
    /// other columns may then have been added, moved or dropped. Without names they are found
    /// by position, and the number of columns must be the one that was compiled in.
    ///
    /// # Errors
    /// When a column is missing, or its type, nullability, signedness, character set kind or
    /// labels are not those that were compiled in.
    pub fn new(layout: &'static TableLayout, map: &TableMap) -> Result<Self, LayoutMismatch> {
        let ordinals = find_columns(layout, map)?;
        let mut fields = vec![None; map.columns.len()];
        let mut columns = Vec::with_capacity(layout.columns.len());
        for (field, (column, ordinal)) in layout.columns.iter().zip(ordinals).enumerate() {
            let wire = check_column(layout, column, map, ordinal)?;
            if let Some(entry) = fields.get_mut(ordinal) {
                *entry = Some(field);
            }
            columns.push(ImageColumn {
                layout: column,
                type_code: wire.type_code,
                meta: wire.meta,
                family: map.family,
            });
        }
        let physical = with_widths(layout, map, &fields)?;
        let full = Steps::new(
            &physical,
            columns.len(),
            |ordinal| fields.get(ordinal).copied().flatten(),
            |_| true,
        );
        let exact = are_places(layout, &columns, &full.fields);
        let straight = exact && is_straight(layout, &physical, &fields);
        Ok(Self {
            layout,
            columns,
            physical,
            fields,
            full,
            exact,
            straight,
            defaults: Arc::default(),
        })
    }

    /// The same plan with what columns have that an insert's image lacks, by field index.
    #[must_use]
    pub fn with_defaults(mut self, defaults: Arc<[ColumnDefault]>) -> Self {
        self.defaults = defaults;
        self
    }

    /// Whether images that have every column are [`exact`](super::RowImage::exact).
    #[must_use]
    pub fn has_places(&self) -> bool {
        self.exact
    }

    /// The same plan, by which no image is [`exact`](super::RowImage::exact): all values are found
    /// by way of the plan. It gives the same rows, and the same errors of values, more slowly.
    #[must_use]
    pub fn without_places(mut self) -> Self {
        self.exact = false;
        self.straight = false;
        self
    }

    /// The layout, when images that have every column have them in its places, and which kind of
    /// server the plan is of.
    pub(super) fn exact(&self) -> Option<(&'static TableLayout, Family)> {
        let family = self.columns.first()?.family;
        self.exact.then_some((self.layout, family))
    }

    /// Whether images that have every column are as [`StraightImage`](super::StraightImage) reads
    /// them.
    #[must_use]
    pub fn is_straight(&self) -> bool {
        self.straight
    }

    pub(super) fn defaults(&self) -> &[ColumnDefault] {
        &self.defaults
    }

    /// Compares the character sets of mirrored text columns with those of the collations that
    /// the map names; collations that are not in `known` are passed over.
    ///
    /// # Errors
    /// For the first column that has another character set.
    pub fn check_charsets(&self, map: &TableMap, known: &Collations) -> Result<(), LayoutMismatch> {
        let Some(collations) = &map.metadata.collations else {
            return Ok(());
        };
        for (collation, field) in collations.iter().zip(&self.fields) {
            let column = field.and_then(|field| self.layout.columns.get(field));
            let charset = collation.and_then(|collation| known.charset(collation));
            let (Some(column), Some(found)) = (column, charset) else {
                continue;
            };
            if column.charset.is_some_and(|expected| expected != found) {
                let expected = column.charset.map_or("none", Charset::name);
                return Err(mismatch(
                    self.layout,
                    column.name,
                    format!("character set {expected}"),
                    format!("character set {}", found.name()),
                ));
            }
        }
        Ok(())
    }

    /// The layout that was compiled in.
    #[must_use]
    pub fn layout(&self) -> &'static TableLayout {
        self.layout
    }

    /// The mirrored columns, by field index.
    #[inline]
    #[must_use]
    pub fn columns(&self) -> &[ImageColumn] {
        &self.columns
    }

    /// How many columns the table has, mirrored or not.
    #[must_use]
    pub fn physical_columns(&self) -> usize {
        self.physical.len()
    }

    /// A reader over the rows of an event of this table map.
    #[must_use]
    pub fn reader<'a>(&'a self, event: &RowsEvent<'a>) -> RowReader<'a> {
        RowReader::new(self, event)
    }

    /// Whether an image with these columns, one bit each, lacks mirrored ones that are not
    /// generated.
    pub(crate) fn lacks_stored(&self, present: &[u8]) -> bool {
        self.fields.iter().enumerate().any(|(ordinal, field)| {
            let column = field.and_then(|field| self.columns.get(field));
            let stored = column.is_some_and(|column| column.layout.generated_from.is_none());
            stored && !has_bit(present, ordinal)
        })
    }

    /// The JSON columns of the table in order: field index, and bytes of the length before a
    /// value.
    pub(super) fn json_columns(&self) -> impl Iterator<Item = (Option<usize>, Width)> {
        self.physical
            .iter()
            .zip(&self.fields)
            .filter(|((column, _), _)| column.type_code == type_code::JSON)
            .map(|((_, width), field)| (*field, *width))
    }

    /// The steps through images that have the columns of a bitmap.
    pub(super) fn steps(&self, present: &[u8]) -> Cow<'_, Steps> {
        let has = |ordinal: usize| has_bit(present, ordinal);
        if (0..self.physical.len()).all(has) {
            return Cow::Borrowed(&self.full);
        }
        Cow::Owned(Steps::new(
            &self.physical,
            self.columns.len(),
            |ordinal| self.fields.get(ordinal).copied().flatten(),
            has,
        ))
    }
}

/// The position in the table of every mirrored column.
fn find_columns(layout: &TableLayout, map: &TableMap) -> Result<Vec<usize>, LayoutMismatch> {
    let Some(names) = &map.metadata.names else {
        if map.columns.len() != layout.physical_columns {
            return Err(mismatch(
                layout,
                "*",
                format!("{} columns", layout.physical_columns),
                format!(
                    "{} columns (binlog_row_metadata=FULL would tell them apart by name)",
                    map.columns.len()
                ),
            ));
        }
        return Ok(layout.columns.iter().map(|column| column.ordinal).collect());
    };
    layout
        .columns
        .iter()
        .map(|column| {
            names
                .iter()
                .position(|name| same_name(name, column.name))
                .ok_or_else(|| {
                    let expected = column.sql_type.to_owned();
                    mismatch(layout, column.name, expected, "no such column".to_owned())
                })
        })
        .collect()
}

/// Column names are compared without regard to case, as the servers do.
fn same_name(one: &str, other: &str) -> bool {
    one.eq_ignore_ascii_case(other)
        || (!one.is_ascii() && one.to_lowercase() == other.to_lowercase())
}

fn with_widths(
    layout: &TableLayout,
    map: &TableMap,
    fields: &[Option<usize>],
) -> Result<Vec<(WireColumn, Width)>, LayoutMismatch> {
    let width = |(ordinal, column): (usize, &WireColumn)| {
        let field = fields.get(ordinal).copied().flatten();
        match column.width_with_fraction(old_fraction(layout, field, ordinal)) {
            Some(width) => Ok((*column, width)),
            None => Err(mismatch(
                layout,
                &format!("{ordinal} (from 0)"),
                "a type of known width".to_owned(),
                format!(
                    "type code {} with metadata {}",
                    column.type_code, column.meta
                ),
            )),
        }
    };
    map.columns.iter().enumerate().map(width).collect()
}

/// Digits of the fraction of a column, should it be of an old temporal format.
fn old_fraction(layout: &TableLayout, field: Option<usize>, ordinal: usize) -> u8 {
    use crate::layout::ColumnType as T;
    match field.and_then(|field| layout.columns.get(field)) {
        Some(column) => match column.kind {
            T::DateTime { fsp } | T::Timestamp { fsp } | T::Time { fsp } => fsp,
            _ => 0,
        },
        None => layout
            .old_fractions
            .iter()
            .find(|(at, _)| *at == ordinal)
            .map_or(0, |(_, fsp)| *fsp),
    }
}
/// Whether a bitmap, lowest bit first, has this bit.
pub(super) fn has_bit(bitmap: &[u8], bit: usize) -> bool {
    bitmap
        .get(bit / 8)
        .is_some_and(|byte| byte >> (bit % 8) & 1 == 1)
}
