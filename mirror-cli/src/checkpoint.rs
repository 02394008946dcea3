//! What is said of a checkpoint, on standard error.

use generated::Mirror;

use crate::exit::Failure;

/// Says where the mirror started from, or why not from the checkpoint.
pub(crate) fn tell_start(mirror: &Mirror) {
    let Some(status) = mirror.status().checkpoint else {
        return;
    };
    if let Some(position) = &status.started_from {
        say!("started from the checkpoint at {position}");
    }
    if let Some(reason) = &status.unusable {
        say!("the checkpoint was not used: {reason}; the tables were loaded from the server");
    }
}

/// Says where the last checkpoint stands, once the mirror has ended.
pub(crate) fn tell_end(mirror: &Mirror) -> Result<(), Failure> {
    if mirror.status().checkpoint.is_none() {
        return Ok(());
    }
    // A signal may have asked for the end before us; what ended it is said by who asked.
    let _ = mirror.wait_until_ended();
    let Some(status) = mirror.status().checkpoint else {
        return Ok(());
    };
    if let Some(error) = status.error {
        return Err(Failure::Checkpoint(error));
    }
    if let (Some(position), bytes) = (&status.position, status.bytes) {
        say!("checkpoint of {bytes} bytes at {position}");
    }
    Ok(())
}
