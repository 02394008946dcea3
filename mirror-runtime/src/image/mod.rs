//! Row images: TABLE_MAP and rows events, and the reader that finds mirrored columns in them.
//!
//! A [`TableMap`] says how the rows of a table are laid out, a [`Plan`] where in such a row the
//! mirrored columns are, a [`RowsEvent`] holds rows, and [`Plan::reader`] goes through them.
//! Values are decoded by [`RowImage::get`]; columns nobody asks for are stepped over. Where a table
//! is as it was when the code was generated, that code reads values from where it knows them to be
//! ([`RowImage::exact`]), and where all of its columns are mirrored, whole rows in one go
//! ([`RowReader::decode_each`]).

#[cfg(test)]
mod absent_tests;
mod cursor;
mod error;
#[cfg(test)]
mod event_tests;
mod exact;
#[cfg(test)]
mod exact_tests;
mod json;
mod json_diff;
mod json_scalar;
#[cfg(test)]
mod json_tests;
mod locate;
mod matching;
mod metadata;
mod partial;
mod place;
#[cfg(test)]
mod place_tests;
mod plan;
mod reader;
mod row_image;
mod rows_event;
mod side;
mod straight;
#[cfg(test)]
mod straight_tests;
mod table_map;
#[cfg(test)]
pub(crate) mod test_support;
pub mod type_code;
mod wire_type;

pub use error::{ImageError, LayoutMismatch};
pub use exact::{ExactImage, ReadImage, apart};
pub use metadata::{OptionalMetadata, WireLabels};
pub use place::{Place, bitmap_bytes, not_null, places, slot_count};
pub use plan::Plan;
pub use reader::{RowImages, RowReader, Which};
pub use row_image::{ColumnDefault, ImageColumn, RowImage};
pub use rows_event::{AbsentColumns, RowsEvent, RowsKind};
pub use straight::{StraightColumn, StraightImage, StraightRows};
pub use table_map::{TableMap, TableMapHeader};
pub use wire_type::WireColumn;

pub(crate) use json::write_json_text;
pub(crate) use json_diff::{JsonDiff, JsonDiffs, JsonOperation, PathLeg};
pub(crate) use json_scalar::write_json_string;
