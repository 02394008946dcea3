//! Commands without a mirror behind them, where the URL names several servers.

use mirror_runtime::source::connect;
use mirror_runtime::{ServerUrl, SourceError};

/// The first of the servers that lets us in.
///
/// # Errors
/// The first server's when none does.
pub(crate) fn first_that_serves(url: &ServerUrl) -> Result<ServerUrl, SourceError> {
    let mut first_error = None;
    for url in url.servers() {
        match connect(&url) {
            Ok(_) => return Ok(url),
            Err(error) => {
                tracing::warn!(%error, "trying the next server");
                first_error.get_or_insert(error);
            }
        }
    }
    Err(first_error.unwrap_or_else(|| SourceError::Url {
        detail: "it names no server".into(),
    }))
}
