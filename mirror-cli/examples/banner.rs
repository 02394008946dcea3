//! A service in small: find a banner by its key, the campaign that it belongs to, and react
//! to changes. Run it on a server with the demo schema:
//!
//! `cargo run -p mirror-cli --example banner -- mysql://user:password@host:port/`

use std::time::Duration;

use generated::{BannerStatus, Change, Mirror};
use mirror_runtime::{Delivery, Options, RowChange, SubscribeOptions};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let url = std::env::args()
        .nth(1)
        .or_else(|| std::env::var("DATABASE_URL").ok())
        .ok_or("usage: banner mysql://user:password@host:port/")?;

    // Loads all tables from the live server, then follows it.
    let mirror = Mirror::connect(Options::new(url.parse()?), Duration::from_secs(60))?;

    // A snapshot is all tables at one transaction boundary, for as long as it is kept.
    // Kept for long, it keeps all versions of rows that were made since.
    let snapshot = mirror.snapshot();
    if let Some(banner) = snapshot.banner().get(1) {
        println!("banner 1 is {:?}, weight {}", banner.name, banner.weight);
        if let Some(campaign) = snapshot.campaign().get(banner.campaign_id) {
            println!(
                "its campaign is {:?}, budget {}",
                campaign.name, campaign.budget
            );
            let active = snapshot
                .banner()
                .by_campaign_status(campaign.id, BannerStatus::Active)
                .count();
            println!("which has {active} active banners");
        }
    }

    drop(snapshot);

    // Every transaction that is committed from here on, with typed changes.
    let deliveries = mirror.subscribe_with(SubscribeOptions::default())?;
    while let Some(delivery) = deliveries.next() {
        // The first is the state that the transactions follow on.
        let Delivery::Transaction(transaction) = delivery else {
            continue;
        };
        for change in &transaction.changes {
            if let Change::Campaign(RowChange::Update { before, after }) = change
                && before.status != after.status
            {
                println!(
                    "campaign {} went from {} to {} at {}",
                    after.id,
                    before.status.label(),
                    after.status.label(),
                    transaction.boundary.position
                );
            }
        }
    }
    mirror.wait_until_ended()?;
    Ok(())
}
