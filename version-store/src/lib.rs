//! Tables of rows with versions: one writer, and snapshots that take no lock.
//!
//! A [`Store`] publishes versions of a payload, which holds the [`Table`]s; a [`Snapshot`] is one
//! of them, kept as long as its owner likes. Rows are written as they arrive, stamped with the
//! number of the version to come, and so are invisible to every snapshot that there is. One
//! atomic store ([`Publisher::publish`]) shows them all; [`TableWriter::roll_back`] unlinks them.
//!
//! # Why it is sound
//!
//! Memory that readers may look at is freed by three rules. A snapshot is *older than* a version
//! when its number is less.
//!
//! 1. A row that version `s` replaced is freed once no snapshot is older than `s`. A reader of
//!    version `v >= s` finds the replacing row first, since its publication happened before the
//!    snapshot was taken, and goes no further along the chain.
//! 2. What is taken out of a place where any reader may come across it (a deleted row that is the
//!    head of its chain, a row that was rolled back, an array of slots that was outgrown) is
//!    freed once no snapshot is older than the version that was being written at that moment.
//!    Snapshots taken later were published after it was taken out, and cannot reach it.
//! 3. A row that somebody holds a [`RowRef`] of lives as long as that.
//!
//! All that a reader dereferences, it does while its snapshot lives: references are bound to it.
//! Numbers of snapshots that are held are known from the reference counts of the versions that
//! were published ([`Publisher::oldest`]).
//!
//! ```
//! use version_store::{Keyed, Store, Table};
//!
//! struct Banner { id: u32, width: u16 }
//! impl Keyed for Banner {
//!     type KeyRef<'a> = u32;
//!     fn key_ref(&self) -> u32 { self.id }
//!     fn is_same_key(one: u32, other: u32) -> bool { one == other }
//! }
//!
//! let (store, mut publisher) = Store::new(None);
//! let (table, mut writer) = Table::<Banner>::new(publisher.writing());
//! writer.put(publisher.writing(), Banner { id: 7, width: 300 });
//! publisher.publish(Some(table.clone()));
//!
//! let snapshot = store.snapshot();
//! let table = snapshot.payload().as_ref().unwrap();
//! let before = table.view(snapshot.moment());
//! writer.put(publisher.writing(), Banner { id: 7, width: 728 });
//! assert_eq!(before.get(7).map(|row| row.width), Some(300));
//! ```

mod placed;
mod publish;
mod reclaim;
mod slots;
mod sync;
mod table;
mod version;
mod writer;

pub use placed::{Held, Placed};
pub use publish::{Moment, Publisher, Snapshot, Store, Writing};
pub use table::{Table, View};
pub use version::{Follow, Keyed, RowRef};
pub use writer::{TableMemory, TableWriter};
