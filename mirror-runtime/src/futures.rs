//! Waiting for a mirror in a task, for any runtime.
//!
//! The futures have no time-out of their own: runtimes have one for any future. They are woken with
//! each change of the mirror's status, and give their place back when they are dropped.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use crate::error::Error;
use crate::mirror::Mirror;
use crate::store::Schema;
use crate::wait::WaitTarget;

impl<S: Schema> Mirror<S> {
    /// As [`wait_until_live`](Self::wait_until_live), in a task: ends once the mirror follows the
    /// server.
    ///
    /// # Errors
    /// What made the mirror stop.
    pub fn until_live(&self) -> impl Future<Output = Result<(), Error>> + Send + Unpin {
        Waiting::new(self, Mirror::is_live)
    }

    /// As [`wait_for`](Self::wait_for), in a task: ends once snapshots show what was committed on
    /// the server.
    ///
    /// # Errors
    /// What made the mirror stop; [`Error::WithoutGtids`] when GTIDs are waited for and the mirror
    /// follows a server without them.
    pub fn until_visible(
        &self,
        target: impl Into<WaitTarget>,
    ) -> impl Future<Output = Result<(), Error>> + Send + Unpin {
        let target = target.into();
        Waiting::new(self, move |mirror: &Mirror<S>| mirror.shows(&target))
    }
}

/// A wait that a change of the mirror's status may end.
struct Waiting<'m, S: Schema, R> {
    mirror: &'m Mirror<S>,
    ready: R,
    /// Its place among those that are woken, once it has one.
    place: Option<u64>,
}

impl<'m, S: Schema, R> Waiting<'m, S, R>
where
    R: Fn(&Mirror<S>) -> Option<Result<(), Error>> + Unpin,
{
    fn new(mirror: &'m Mirror<S>, ready: R) -> Self {
        Self {
            mirror,
            ready,
            place: None,
        }
    }
}

impl<S: Schema, R> Future for Waiting<'_, S, R>
where
    R: Fn(&Mirror<S>) -> Option<Result<(), Error>> + Unpin,
{
    type Output = Result<(), Error>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let status = &self.mirror.shared.status;
        // Before the look: what changes behind it wakes the task.
        let place = status.wake(self.place, context.waker());
        let found = (self.ready)(self.mirror);
        self.place = Some(place);
        found.map_or(Poll::Pending, Poll::Ready)
    }
}

impl<S: Schema, R> Drop for Waiting<'_, S, R> {
    fn drop(&mut self) {
        if let Some(place) = self.place {
            self.mirror.shared.status.forget(place);
        }
    }
}
