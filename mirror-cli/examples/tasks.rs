//! A mirror in a task, with the smallest runtime that there is; any other does too. Run it on a
//! server with the demo schema:
//!
//! `cargo run -p mirror-cli --example tasks -- mysql://user:password@host:port/`

use std::future::poll_fn;
use std::pin::Pin;

use futures_core::Stream;
use generated::Mirror;
use mirror_runtime::{Delivery, Options, SlowReader, SubscribeOptions};

/// The next item of a stream, as `StreamExt::next` of other crates.
async fn next<S: Stream + Unpin>(stream: &mut S) -> Option<S::Item> {
    poll_fn(|context| Pin::new(&mut *stream).poll_next(context)).await
}

async fn follow(url: &str) -> Result<(), Box<dyn std::error::Error>> {
    let mirror = Mirror::start(Options::new(url.parse()?))?;
    mirror.until_live().await?;
    let mut deliveries = mirror.subscribe_with(SubscribeOptions {
        slow: SlowReader::Resync,
        ..SubscribeOptions::default()
    })?;
    while let Some(delivery) = next(&mut deliveries).await {
        match delivery {
            Delivery::Resync(state) => println!(
                "{} campaigns; {} transactions were dropped before this",
                state.snapshot().campaign().len(),
                state.dropped
            ),
            Delivery::Transaction(transaction) => println!(
                "{} changes up to {}",
                transaction.changes.len(),
                transaction.boundary.position
            ),
        }
    }
    mirror.wait_until_ended()?;
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let url = std::env::args()
        .nth(1)
        .or_else(|| std::env::var("DATABASE_URL").ok())
        .ok_or("usage: tasks mysql://user:password@host:port/")?;
    pollster::block_on(follow(&url))
}
