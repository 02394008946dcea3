//! The folder of seeds: a folder for each target.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

/// Larger inputs are of no use to a fuzzer.
const MOST_BYTES: usize = 8192;

/// Where seeds are written to.
#[derive(Debug)]
pub(crate) struct Folder {
    path: PathBuf,
    written: BTreeMap<&'static str, usize>,
}

impl Folder {
    pub(crate) fn new(path: PathBuf) -> Self {
        Self {
            path,
            written: BTreeMap::new(),
        }
    }

    /// Keeps an input of a target, unless it is too large.
    pub(crate) fn keep(&mut self, target: &'static str, input: &[u8]) {
        assert!(
            hostile_bytes::TARGETS
                .iter()
                .any(|known| known.name == target),
            "there is no target {target}"
        );
        if input.len() > MOST_BYTES {
            return;
        }
        let folder = self.path.join(target);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join(format!("{:016x}", hash(input))), input).unwrap();
        *self.written.entry(target).or_default() += 1;
    }

    pub(crate) fn summary(&self) {
        for (target, inputs) in &self.written {
            println!("{target}: {inputs} inputs (the same ones counted again)");
        }
    }
}

/// FNV-1a.
fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
