//! The pieces of a load that are left, shared by its connections.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::pieces::Piece;

/// Pieces of a load are cut further until there are so many.
const MAX_PIECES: usize = 10_000;
/// How often one that waits for pieces looks whether it is to end.
const POLL: Duration = Duration::from_millis(50);

/// The pieces that are left.
pub(super) struct Jobs {
    inner: Mutex<Inner>,
    changed: Condvar,
}

struct Inner {
    left: VecDeque<Piece>,
    /// All pieces that there were.
    count: usize,
    /// Pieces that were taken and may still be cut.
    open: usize,
}

impl Jobs {
    pub(super) fn new(pieces: Vec<Piece>) -> Self {
        Self {
            inner: Mutex::new(Inner {
                count: pieces.len(),
                left: pieces.into(),
                open: 0,
            }),
            changed: Condvar::new(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next piece; waits while there is none, but another connection may yet cut its own.
    /// `None` when all are taken, or the load has ended.
    pub(super) fn take(&self, ended: &dyn Fn() -> bool) -> Option<Taken<'_>> {
        let mut inner = self.lock();
        while !ended() {
            if let Some(piece) = inner.left.pop_front() {
                inner.open += 1;
                return Some(Taken { jobs: self, piece });
            }
            if inner.open == 0 {
                return None;
            }
            let waited = self.changed.wait_timeout(inner, POLL);
            inner = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        None
    }
}

/// A piece that was taken, and may be cut before it is read.
pub(super) struct Taken<'a> {
    jobs: &'a Jobs,
    piece: Piece,
}

impl Taken<'_> {
    pub(super) fn piece(&self) -> &Piece {
        &self.piece
    }

    /// Cuts the piece into about so many, of which it becomes the first; the others are left for
    /// whoever comes next. `false` when it cannot be cut.
    pub(super) fn cut(&mut self, parts: u64) -> bool {
        let mut inner = self.jobs.lock();
        // The piece itself makes room for one.
        let room = (MAX_PIECES + 1).saturating_sub(inner.count) as u64;
        let Some(mut parts) = self.piece.cut(parts.min(room)) else {
            return false;
        };
        let rest = parts.split_off(1);
        let Some(first) = parts.pop() else {
            return false;
        };
        self.piece = first;
        inner.count += rest.len();
        for piece in rest.into_iter().rev() {
            inner.left.push_front(piece);
        }
        self.jobs.changed.notify_all();
        true
    }

    /// The piece, which is not cut any more.
    pub(super) fn settle(self) -> Piece {
        self.piece.clone()
    }
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        self.jobs.lock().open -= 1;
        self.jobs.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::super::pieces::tests::piece;
    use super::*;

    fn rest(jobs: &Jobs) -> Vec<Piece> {
        std::iter::from_fn(|| jobs.take(&|| false).map(Taken::settle)).collect()
    }

    #[test]
    fn parts_of_a_piece_are_taken_once_each_and_before_the_others() {
        let jobs = Jobs::new(piece((1, 40)).cut(2).unwrap());
        let mut taken = jobs.take(&|| false).unwrap();
        assert!(taken.cut(4));
        let halves = piece((1, 40)).cut(2).unwrap();
        let mut expected = halves[0].cut(4).unwrap();
        expected.push(halves[1].clone());
        let mut all = vec![taken.settle()];
        all.extend(rest(&jobs));
        assert_eq!(all, expected);
    }

    #[test]
    fn a_connection_waits_for_what_another_may_cut_and_for_nothing_else() {
        let jobs = Jobs::new(vec![piece((1, 40))]);
        let mut taken = jobs.take(&|| false).unwrap();
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| rest(&jobs).len());
            std::thread::sleep(Duration::from_millis(20));
            assert!(taken.cut(4));
            drop(taken);
            assert_eq!(waiting.join().unwrap(), 3);
        });
        // The connection of the first part failed: that keeps nobody waiting.
        assert!(jobs.take(&|| false).is_none());
    }

    #[test]
    fn a_load_that_has_ended_gives_no_pieces_and_lets_nobody_wait() {
        let jobs = Jobs::new(vec![piece((1, 40))]);
        assert!(jobs.take(&|| true).is_none());
        let _taken = jobs.take(&|| false).unwrap();
        assert!(jobs.take(&|| true).is_none());
    }

    #[test]
    fn pieces_are_not_cut_without_end() {
        let jobs = Jobs::new(vec![piece((0, i128::from(u64::MAX)))]);
        let mut taken = jobs.take(&|| false).unwrap();
        assert!(taken.cut(u64::MAX));
        assert!(!taken.cut(2));
        drop(taken);
        assert_eq!(rest(&jobs).len(), MAX_PIECES - 1);
    }
}
