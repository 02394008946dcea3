//! What is shared between threads: the standard library's, or loom's, which tries every order.

#[cfg(loom)]
pub(crate) use loom::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering, fence};
#[cfg(not(loom))]
pub(crate) use std::sync::atomic::{AtomicPtr, AtomicU32, AtomicU64, Ordering, fence};

pub(crate) use cell::Current;

#[cfg(not(loom))]
mod cell {
    use std::sync::Arc;

    use arc_swap::ArcSwap;

    /// The version that is published now.
    pub(crate) struct Current<T>(ArcSwap<T>);

    impl<T> Current<T> {
        pub(crate) fn new(value: Arc<T>) -> Self {
            Self(ArcSwap::new(value))
        }

        pub(crate) fn load(&self) -> Arc<T> {
            self.0.load_full()
        }

        /// Replaces it; what was there. Readers that were about to take that are counted among
        /// its owners when this returns (arc-swap pays their debts).
        pub(crate) fn swap(&self, value: Arc<T>) -> Arc<T> {
            self.0.swap(value)
        }
    }
}

#[cfg(loom)]
mod cell {
    use std::sync::Arc;

    /// Loom does not look into arc-swap: a lock stands for it.
    pub(crate) struct Current<T>(loom::sync::Mutex<Arc<T>>);

    impl<T> Current<T> {
        pub(crate) fn new(value: Arc<T>) -> Self {
            Self(loom::sync::Mutex::new(value))
        }

        pub(crate) fn load(&self) -> Arc<T> {
            Arc::clone(
                &self
                    .0
                    .lock()
                    .unwrap_or_else(std::sync::PoisonError::into_inner),
            )
        }

        pub(crate) fn swap(&self, value: Arc<T>) -> Arc<T> {
            let held = self.0.lock();
            std::mem::replace(
                &mut *held.unwrap_or_else(std::sync::PoisonError::into_inner),
                value,
            )
        }
    }
}
