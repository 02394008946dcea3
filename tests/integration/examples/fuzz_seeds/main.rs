//! Writes seeds for the fuzz targets: inputs made of what real servers wrote.
//!
//! `cargo run -p integration --example fuzz_seeds -- fuzz/corpus` starts a private MySQL and a
//! private MariaDB server, with and without compression, writes edge values of every type to
//! them, and cuts their binlogs into inputs of the targets (`tests/hostile`), one file each, named
//! by its content. Texts of CREATE TABLE and schema.json come from the servers and from the tests
//! of `codegen`. With a flavour (`mysql`, `mariadb`) only that server is used.

mod binlogs;
mod checkpoints;
mod columns;
mod folder;
mod texts;
mod writes;

use std::path::PathBuf;
use std::process::ExitCode;

use folder::Folder;
use integration::{World, compressing};
use lab::{Flavor, ServerOptions};

/// The first MySQL that compresses transactions (MySQL manual, "Binary Log Transaction
/// Compression").
const COMPRESSION: (u32, u32, u32) = (8, 0, 20);

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let Some(folder) = arguments.next().map(PathBuf::from) else {
        eprintln!("usage: fuzz_seeds FOLDER [FLAVOR]");
        return ExitCode::from(2);
    };
    let only = arguments.next();
    let mut folder = Folder::new(folder);
    texts::of_codegen(&mut folder);
    for flavor in Flavor::ALL {
        if only.as_deref().is_some_and(|only| only != flavor.name()) {
            continue;
        }
        let version = from_server(flavor, &ServerOptions::new(), &mut folder);
        let few_metadata = ServerOptions::new()
            .arg("--loose-binlog-row-metadata=MINIMAL")
            .arg("--binlog-checksum=NONE");
        from_server(flavor, &few_metadata, &mut folder);
        if flavor == Flavor::Mariadb || version >= COMPRESSION {
            from_server(flavor, &compressing(flavor), &mut folder);
        }
    }
    folder.summary();
    ExitCode::SUCCESS
}

/// Keeps what a server with these options writes; gives its version.
fn from_server(flavor: Flavor, options: &ServerOptions, folder: &mut Folder) -> (u32, u32, u32) {
    let mut world = World::start_with(flavor, options);
    writes::edge_values(&world);
    writes::differences(&world);
    checkpoints::keep(&world, folder);
    writes::statements(&world);
    texts::of_server(&world, folder);
    columns::single_values(&world, folder);
    let files = binlogs::files(&mut world);
    binlogs::cut(&files, folder);
    world.version()
}
