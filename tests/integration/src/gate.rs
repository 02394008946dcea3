//! Threads that work until they are told to pause.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Lets threads through one by one while it is open; [`close`](Self::close) waits until none
/// is inside.
#[derive(Debug, Default)]
pub struct Gate {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    open: bool,
    ended: bool,
    inside: usize,
}

impl Gate {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until the gate is open, works, and goes out again; false once the gate has ended.
    pub fn pass(&self, work: impl FnOnce()) -> bool {
        let mut state = self.lock();
        while !state.open && !state.ended {
            state = self
                .changed
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
        if state.ended {
            return false;
        }
        state.inside += 1;
        drop(state);
        // Goes out on a panic of the work too, or `close` would wait for ever.
        let _out = Out(self);
        work();
        true
    }

    /// Lets threads in.
    pub fn open(&self) {
        self.lock().open = true;
        self.changed.notify_all();
    }

    /// Lets nobody in any more, and waits until nobody is inside.
    pub fn close(&self) {
        let mut state = self.lock();
        state.open = false;
        while state.inside > 0 {
            state = self
                .changed
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Sends everybody home.
    pub fn end(&self) {
        self.lock().ended = true;
        self.changed.notify_all();
    }

    /// Sends everybody home when the guard is dropped, so that a failed test ends its threads.
    #[must_use]
    pub fn end_on_drop(&self) -> EndOnDrop<'_> {
        EndOnDrop(self)
    }
}

/// Ends a [`Gate`] when it is dropped.
#[derive(Debug)]
pub struct EndOnDrop<'g>(&'g Gate);

impl Drop for EndOnDrop<'_> {
    fn drop(&mut self) {
        self.0.end();
    }
}

struct Out<'g>(&'g Gate);

impl Drop for Out<'_> {
    fn drop(&mut self) {
        self.0.lock().inside -= 1;
        self.0.changed.notify_all();
    }
}
