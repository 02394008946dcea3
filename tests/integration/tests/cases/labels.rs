//! ENUM and SET.

use integration::cases::{Case, Servers, run_all};
use integration::harness::Test;
use integration::tests;
use lab::Flavor;
use test_cases::{EnTE, EnTS};

pub(crate) const TESTS: &[Test] = tests![
    labels_of_any_text_keep_their_index_and_bytes,
    members_in_another_order_stop_the_mirror,
];

/// The members of `en_t.e`; one backslash is stored, although the definition shows two.
const LABELS: [&str; 11] = [
    "a,b",
    "it's",
    "(x)",
    "back\\slash",
    "`tick`",
    "per%cent",
    "3D",
    "",
    "größe",
    "New York",
    "NewYork",
];

fn labels_of_any_text_keep_their_index_and_bytes(servers: &Servers, flavor: Flavor) {
    assert_eq!(EnTE::all_labels(), LABELS);
    assert_eq!(EnTS::all_labels(), ["r", "w", "x y", "q'q"]);
    for (label, index) in LABELS.iter().zip(1..) {
        let variant = EnTE::from_index(index).expect("the label's variant");
        assert_eq!((variant.index(), variant.label()), (index, *label));
        assert_eq!(EnTE::from_label(label), Some(variant));
    }
    for site in servers.all(flavor) {
        let case = Case::on(site, &["en_t"]).expect("every server has ENUM");
        case.on_all_paths(
            &[
                r"INSERT INTO en_t VALUES (1,'a,b','r,w'),(2,'it''s',''),(3,'back\\slash','x y'),
                (4,'','q''q'),(9,'a,b','')",
            ],
            &[
                "INSERT INTO en_t VALUES (5,'3D','r,w,x y,q''q'),(6,'größe','r'),(7,NULL,'w'),
                 (8,'NewYork','')",
                "UPDATE en_t SET e='`tick`', s='w,q''q' WHERE id = 9",
            ],
            |snapshot| {
                let rows = snapshot.en_t();
                let indexes: Vec<Option<u16>> =
                    rows.iter().map(|row| row.e.map(EnTE::index)).collect();
                let expected = [1, 2, 4, 8, 7, 9, 0, 11, 5].map(Some);
                let expected: Vec<Option<u16>> = expected
                    .map(|index| index.filter(|&index| index > 0))
                    .into();
                assert_eq!(indexes, expected);
                let bits: Vec<u64> = rows.iter().map(|row| row.s.bits()).collect();
                assert_eq!(bits, [3, 0, 4, 8, 15, 1, 2, 0, 10]);
                let label = |id| rows.get(id).and_then(|row| row.e).map(EnTE::label);
                assert_eq!(label(3), Some("back\\slash"));
                assert_eq!(label(6), Some("größe"));
            },
        );
    }
}

fn members_in_another_order_stop_the_mirror(servers: &Servers, flavor: Flavor) {
    for site in servers.all(flavor) {
        let case = Case::on(site, &["enr_t"]).expect("every server has ENUM");
        let mut conn = site.conn();
        run_all(
            &mut conn,
            &["INSERT INTO enr_t VALUES (1,'v1','was v1'),(2,'v2','was v2')"],
        );
        let mirror = case.mirror();
        run_all(
            &mut conn,
            &[
                "ALTER TABLE enr_t MODIFY f ENUM('v2','v1','v3')",
                "INSERT INTO enr_t VALUES (3,'v1','was v1')",
            ],
        );
        let error = case.end_of(&mirror).to_string();
        assert!(error.contains("enr_t"), "{error}");
        // What readers keep is from before the ALTER, not a mixture.
        let snapshot = mirror.snapshot();
        for row in snapshot.enr_t().iter() {
            let note = row.note.as_deref().expect("a note");
            let label = row.f.map(|label| label.label()).expect("a label");
            assert!(note.ends_with(label), "{row:?}");
        }
        assert_eq!(snapshot.enr_t().len(), 2);
        // A mirror that starts now would have the wrong labels, too.
        let options = case.options();
        let refused = test_cases::Mirror::connect(options, std::time::Duration::from_secs(20));
        let error = refused.expect_err("the members differ").to_string();
        assert!(error.contains("enr_t") && error.contains("v2"), "{error}");
    }
}
