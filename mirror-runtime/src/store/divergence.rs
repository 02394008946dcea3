//! How changes meet the rows that are held, and what is wrong when they do not fit.

use crate::error::ValueError;
use crate::image::ImageError;

/// How changes meet rows that are not as the change says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Replay from an anchor over rows that were SELECTed later: an insert replaces, a delete
    /// of a missing row does nothing, a full update of a missing row inserts.
    Tolerant,
    /// After the replay: such a meeting is a divergence.
    Strict,
    /// As tolerant, on a table that is known to be wrong and kept by policy: a row that cannot
    /// be applied even so is passed over.
    Lenient,
}

/// A change that does not fit the rows we hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Divergence {
    /// An insert of a key that is there already.
    #[error("an insert of a row whose key the mirror already holds")]
    InsertOfKnown,
    /// An update of a row that is not there.
    #[error("an update of a row that the mirror does not hold")]
    UpdateOfUnknown,
    /// An update that gives a row the key of another.
    #[error("an update to a key that another row of the mirror already has")]
    UpdateToKnown,
    /// A delete of a row that is not there.
    #[error("a delete of a row that the mirror does not hold")]
    DeleteOfUnknown,
    /// The before image is not the row we hold.
    #[error("a before image that differs from the row that the mirror holds")]
    BeforeImageDiffers,
    /// During a replay: an update without all columns changes a row's key. The row that is
    /// held under the old key may be a newer one, whose other columns would be taken along.
    #[error("a replayed update that changes the key of a row and lacks columns")]
    PartialMove,
    /// Differences of a JSON document do not fit the one that is held.
    #[error("JSON differences that do not fit the document that the mirror holds")]
    JsonDifference,
    /// During a replay: differences without the document that they are to (the image before
    /// lacks it) move elements of an array. The document that is held may be a newer one, in
    /// which they are moved already.
    #[error(
        "replayed JSON differences that move elements of an array, without the document before \
         (binlog_row_image=FULL sends it)"
    )]
    JsonReplay,
    /// A generated column that the server did not log, and whose value may be another now.
    #[error("a row image without a generated column whose value it decides")]
    GeneratedNotLogged,
    /// An update lacks columns that may have kept their values or got their defaults.
    #[error(
        "an update without all columns that may be a REPLACE, which gives the others their \
         defaults (binlog_row_image=FULL logs them)"
    )]
    ReplaceNotTold,
    /// An insert lacks a column whose default is not known.
    #[error("the row image of an insert without column {column}, whose default is not known")]
    DefaultNotKnown {
        /// Name of the column.
        column: &'static str,
    },
}

/// Why a rows event could not be applied.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ApplyError {
    /// A value could not be decoded.
    #[error(transparent)]
    Value(#[from] ValueError),
    /// The rows event could not be read.
    #[error(transparent)]
    Image(#[from] ImageError),
    /// The change does not fit the rows we hold.
    #[error("{what}")]
    Divergence {
        /// In what way.
        what: Divergence,
        /// Key of the row, as `id=5`, where it is known.
        key: Option<String>,
    },
    /// The event has no such image, or the batch is of another table.
    #[error("internal mismatch: {0}")]
    Mismatch(&'static str),
}

impl From<Divergence> for ApplyError {
    fn from(what: Divergence) -> Self {
        Self::Divergence { what, key: None }
    }
}

impl ApplyError {
    /// The same, with the key of the row unless it is named already.
    pub(super) fn of_row(self, key_text: impl FnOnce() -> Option<String>) -> Self {
        match self {
            Self::Divergence { what, key: None } => Self::Divergence {
                what,
                key: key_text(),
            },
            other => other,
        }
    }
}
