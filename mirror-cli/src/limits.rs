//! `--max-...`: the limits of a mirror that an operator sets.

use clap::Args;
use mirror_runtime::Limits;

/// The most that the mirror takes.
#[derive(Debug, Args, Default)]
#[command(next_help_heading = "Limits")]
pub(crate) struct LimitArguments {
    /// Memory of all tables, those that are loaded included; the mirror ends when they need more.
    /// Default: no limit.
    #[arg(long, value_name = "SIZE", value_parser = bytes)]
    max_memory: Option<u64>,
    /// Memory of a transaction that is not committed yet; behind a larger one its tables are loaded
    /// again. Default: 4GiB.
    #[arg(long, value_name = "SIZE", value_parser = bytes)]
    max_transaction_memory: Option<u64>,
    /// Size of one event of the binlog; the mirror ends at a larger one. Default: 1GiB.
    #[arg(long, value_name = "SIZE", value_parser = bytes)]
    max_event: Option<u64>,
}

impl LimitArguments {
    /// The limits of a mirror.
    pub(crate) fn limits(&self) -> Limits {
        let defaults = Limits::default();
        Limits {
            table_bytes: self.max_memory.unwrap_or(defaults.table_bytes),
            transaction_bytes: self
                .max_transaction_memory
                .unwrap_or(defaults.transaction_bytes),
            event_bytes: self.max_event.unwrap_or(defaults.event_bytes),
            ..defaults
        }
    }
}

/// Bytes as people write them.
fn bytes(text: &str) -> Result<u64, String> {
    const UNITS: [(&str, u32); 5] = [("KiB", 10), ("MiB", 20), ("GiB", 30), ("TiB", 40), ("", 0)];
    let expected = || "expected a number of bytes, or one with KiB, MiB, GiB or TiB".to_owned();
    let parsed = UNITS.iter().find_map(|(unit, shift)| {
        let digits = text.trim().strip_suffix(unit)?.trim_end();
        Some((digits, shift))
    });
    let (digits, shift) = parsed.ok_or_else(expected)?;
    // A sign is no digit.
    if !digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return Err(expected());
    }
    let number: u64 = digits.parse().map_err(|_| expected())?;
    number
        .checked_mul(1 << shift)
        .ok_or_else(|| "more than 2^64 - 1 bytes".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_with_and_without_a_unit_and_others_are_refused() {
        assert_eq!(bytes("70000"), Ok(70_000));
        assert_eq!(bytes("64KiB"), Ok(65_536));
        assert_eq!(bytes("512 MiB"), Ok(512 << 20));
        assert_eq!(bytes("4GiB"), Ok(4 << 30));
        assert_eq!(bytes("2TiB"), Ok(2 << 40));
        for bad in [
            "",
            "GiB",
            "1.5GiB",
            "-1",
            "+1",
            "4GB",
            "4 G",
            "99999999TiB",
            "0x10",
        ] {
            assert!(bytes(bad).is_err(), "{bad}");
        }
    }
}
