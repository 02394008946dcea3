//! Subscriptions as streams, for any runtime: a task is woken by whoever commits.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures_core::Stream;

use super::subscribers::Taken;
use super::{Deliveries, Delivery, Subscription, Transaction};
use crate::store::Schema;

/// Ends once the mirror has ended and all is read.
impl<S: Schema> Stream for Deliveries<S> {
    type Item = Delivery<S>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        match self.place.poll(context.waker()) {
            Taken::Item(item) => Poll::Ready(Some(item)),
            Taken::Ended => Poll::Ready(None),
            Taken::Nothing => Poll::Pending,
        }
    }
}

/// Ends once the mirror has ended and all is read.
impl<S: Schema> Stream for Subscription<S> {
    type Item = Arc<Transaction<S>>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        match self.place.poll(context.waker()) {
            Taken::Item(Delivery::Transaction(transaction)) => Poll::Ready(Some(transaction)),
            Taken::Nothing => Poll::Pending,
            // It is waited for, so that no other item is in its queue.
            Taken::Item(Delivery::Resync(_)) | Taken::Ended => Poll::Ready(None),
        }
    }
}
