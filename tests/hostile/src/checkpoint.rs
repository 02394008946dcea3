//! Checkpoints: whole files, and rows in them.

use std::fmt::Debug;
use std::io::Write;

use mirror_runtime::stored::StoredBytes;
use mirror_runtime::{Row, Schema as _, read_checkpoint};
use test_mirror::Tables;

/// Bytes before the header: magic, format, length of the header.
const PREFIX: usize = 16;
/// Where the fingerprint stands, behind the random id and its length.
const FINGERPRINT: std::ops::Range<usize> = PREFIX + 9..PREFIX + 25;
/// Bytes of a block before those of its rows, and the place of their number.
const BLOCK_HEAD: usize = 25;
const LENGTH_AT: usize = 17;
/// Bytes of the end before its checksum, and the places of what it says.
const END: usize = 21;

/// A file, with the checksums that it has and with right ones. It is refused, or gives a snapshot
/// of tables in key order, each with as many rows as it says.
pub fn checkpoint_file(input: &[u8]) {
    read(input);
    if let Some(mended) = with_checksums(input) {
        read(&mended);
    }
}

fn read(bytes: &[u8]) {
    let mut file = tempfile::NamedTempFile::new().expect("a temporary file");
    file.write_all(bytes).expect("a temporary file is written");
    if let Ok(Some(snapshot)) = read_checkpoint::<Tables>(file.path()) {
        let fire = snapshot.fire_a();
        assert_eq!(fire.iter().count(), fire.len());
        assert!(fire.iter().is_sorted_by_key(|row| row.id));
        let texts = snapshot.key_text();
        assert_eq!(texts.iter().count(), texts.len());
    }
}

/// The same file with right checksums and the fingerprint of the tables, as far as it can be told
/// where they stand.
#[must_use]
pub fn with_checksums(input: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = input.to_vec();
    let length = u32::from_le_bytes(input.get(12..PREFIX)?.try_into().ok()?);
    let header_end = PREFIX.checked_add(length as usize)?;
    let id: [u8; 8] = input.get(PREFIX..PREFIX + 8)?.try_into().ok()?;
    let fingerprint = bytes.get_mut(FINGERPRINT)?;
    fingerprint.copy_from_slice(Tables::fingerprint().as_bytes());
    let sum = crc32fast::hash(bytes.get(..header_end)?);
    put(&mut bytes, header_end, sum)?;
    let mut all = chain(0, sum);
    let mut at = header_end + 4;
    let (mut number, mut rows) = (0u64, 0u64);
    while *bytes.get(at)? != 0 {
        let head = bytes.get(at..at + BLOCK_HEAD)?;
        let length = u64::from_le_bytes(head[LENGTH_AT..].try_into().ok()?);
        rows += u64::from(u32::from_le_bytes(head[5..9].try_into().ok()?));
        let end = at
            .checked_add(BLOCK_HEAD)?
            .checked_add(usize::try_from(length).ok()?)?;
        let sum = checksum(id, number, bytes.get(at..end)?);
        put(&mut bytes, end, sum)?;
        all = chain(all, sum);
        number += 1;
        at = end + 4;
    }
    let end = bytes.get_mut(at..at + END)?;
    end[1..9].copy_from_slice(&number.to_le_bytes());
    end[9..17].copy_from_slice(&rows.to_le_bytes());
    end[17..].copy_from_slice(&all.to_le_bytes());
    let sum = checksum(id, number, bytes.get(at..at + END)?);
    put(&mut bytes, at + END, sum)?;
    Some(bytes)
}

/// The rows of each block of a whole checkpoint, with the index of their table.
///
/// # Panics
/// When it is none.
#[must_use]
pub fn checkpoint_rows(file: &[u8]) -> Vec<(u32, Vec<u8>)> {
    let number = |at: usize| u32::from_le_bytes(file[at..at + 4].try_into().unwrap());
    let long = |at: usize| u64::from_le_bytes(file[at..at + 8].try_into().unwrap()) as usize;
    let mut at = PREFIX + number(12) as usize + 4;
    let mut rows = Vec::new();
    while file[at] != 0 {
        let (body, length) = (at + BLOCK_HEAD, long(at + LENGTH_AT));
        let packed = &file[body..body + length];
        let unpacked = match file[at] {
            1 => zstd::bulk::decompress(packed, long(at + 9)).unwrap(),
            _ => packed.to_vec(),
        };
        rows.push((number(at + 1), unpacked));
        at = body + length + 4;
    }
    rows
}

fn checksum(id: [u8; 8], number: u64, bytes: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&id);
    hasher.update(&number.to_le_bytes());
    hasher.update(bytes);
    hasher.finalize()
}

fn chain(checksums: u32, next: u32) -> u32 {
    checksum(u64::from(checksums).to_le_bytes(), u64::from(next), &[])
}

fn put(bytes: &mut [u8], at: usize, sum: u32) -> Option<()> {
    bytes
        .get_mut(at..at + 4)?
        .copy_from_slice(&sum.to_le_bytes());
    Some(())
}

/// Rows of a table, by its index in the first byte. Each that is taken gives the same row and the
/// same bytes when it is stored and taken again.
pub fn stored_rows(input: &[u8]) {
    let [table, bytes @ ..] = input else {
        return;
    };
    let tables = Tables::layouts().len();
    CHECKS[usize::from(*table) % tables](&mut StoredBytes::new(bytes));
}

fn check<R: Row + PartialEq + Debug>(bytes: &mut StoredBytes<'_>) {
    let mut left = bytes.len();
    while let Ok(row) = R::restore(bytes) {
        assert!(bytes.len() < left, "a row takes bytes");
        left = bytes.len();
        let mut once = Vec::new();
        row.store(&mut once);
        let mut stored = StoredBytes::new(&once);
        let again = R::restore(&mut stored).expect("what was stored is taken");
        assert!(stored.is_empty());
        let mut twice = Vec::new();
        again.store(&mut twice);
        // NaN is not equal to itself, its bytes are.
        assert_eq!(once, twice);
        assert_eq!(row.key(), again.key());
    }
}

/// By table index.
const CHECKS: [fn(&mut StoredBytes<'_>); 30] = [
    check::<test_mirror::Integers>,
    check::<test_mirror::Numbers>,
    check::<test_mirror::Dates>,
    check::<test_mirror::Times>,
    check::<test_mirror::Texts>,
    check::<test_mirror::AsciiTexts>,
    check::<test_mirror::ByteStrings>,
    check::<test_mirror::LabelSets>,
    check::<test_mirror::Bits>,
    check::<test_mirror::Documents>,
    check::<test_mirror::KeyComposite>,
    check::<test_mirror::KeyText>,
    check::<test_mirror::KeyBinary>,
    check::<test_mirror::KeyUnique>,
    check::<test_mirror::Indexed>,
    check::<test_mirror::Partly>,
    check::<test_mirror::JsonParts>,
    check::<test_mirror::AccountA>,
    check::<test_mirror::AccountB>,
    check::<test_mirror::FireA>,
    check::<test_mirror::FireB>,
    check::<test_mirror::FireC>,
    check::<test_mirror::Big>,
    check::<test_mirror::Marker>,
    check::<test_mirror::PlainLog>,
    check::<test_mirror::Audit>,
    check::<test_mirror::Choices>,
    check::<test_mirror::DdlA>,
    check::<test_mirror::DdlB>,
    check::<test_mirror::DdlP>,
];

#[cfg(test)]
mod tests {
    use super::*;

    /// Otherwise fuzzing would only find files that are refused at once.
    #[test]
    fn seeds_with_right_checksums_are_read() {
        let folder = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../fuzz/seeds/checkpoint_file"
        );
        for seed in std::fs::read_dir(folder).unwrap() {
            let path = seed.unwrap().path();
            let mended = with_checksums(&std::fs::read(&path).unwrap()).unwrap();
            let file = tempfile::NamedTempFile::new().unwrap();
            std::fs::write(file.path(), mended).unwrap();
            let snapshot = read_checkpoint::<Tables>(file.path()).unwrap().unwrap();
            assert!(snapshot.fire_a().len() >= 3, "{}", path.display());
        }
    }

    #[test]
    fn every_table_is_checked() {
        assert_eq!(CHECKS.len(), Tables::layouts().len());
    }
}
