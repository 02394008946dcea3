//! ENUM and SET.

use integration::cases::{Case, Servers};
use integration::harness::Test;
use integration::tests;
use lab::Flavor;
use test_cases::{TEnumsFew, TSetsS9};

pub(crate) const TESTS: &[Test] = tests![
    enums_have_an_error_value_beside_the_empty_label,
    sets_up_to_64_members_keep_every_bit,
];

fn enums_have_an_error_value_beside_the_empty_label(servers: &Servers, flavor: Flavor) {
    let rows: [(u16, u16, u16, &str); 5] = [
        (0, 0, 0, ""),
        (1, 1, 1, ""),
        (1, 2, 255, "a"),
        (0, 3, 256, "b c"),
        (1, 1, 128, ""),
    ];
    let edges = rows.map(|row| (format!("{}, {}, {}", row.0, row.1, row.2), row));
    for site in servers.all(flavor) {
        let case = Case::on(site, &["t_enums"]).expect("every server has ENUM");
        case.on_edges("one, few, many", &edges, |snapshot, id| {
            let row = snapshot.t_enums().get(id)?;
            let is_error = row.few == TEnumsFew::Invalid;
            assert_eq!(is_error, row.few.index() == 0);
            Some((
                row.one.index(),
                row.few.index(),
                row.many.index(),
                row.few.label(),
            ))
        });
    }
}

fn sets_up_to_64_members_keep_every_bit(servers: &Servers, flavor: Flavor) {
    let rows: [(u64, u64, u64); 5] = [
        (0, 0, 0),
        (1, 0x1ff, u64::MAX),
        (0, 0x100, 1 << 63),
        (1, 0xff, 0xaaaa_aaaa_aaaa_aaaa),
        (1, 1, 1 << 32),
    ];
    let edges = rows.map(|row| (format!("{}, {}, {}", row.0, row.1, row.2), row));
    for site in servers.all(flavor) {
        let case = Case::on(site, &["t_sets"]).expect("every server has SET");
        case.on_edges("s1, s9, s64", &edges, |snapshot, id| {
            let row = snapshot.t_sets().get(id)?;
            let last = row.s9.contains(TSetsS9::M9);
            assert_eq!(last, row.s9.labels().any(|label| label == "m9"));
            Some((row.s1.bits(), row.s9.bits(), row.s64.bits()))
        });
    }
}
