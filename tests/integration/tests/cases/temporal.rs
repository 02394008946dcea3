//! TIME, DATE, DATETIME and TIMESTAMP.

use integration::cases::{Case, Servers};
use integration::harness::Test;
use integration::tests;
use lab::Flavor;
use mirror_runtime::{Date, DateTime, Time};

pub(crate) const TESTS: &[Test] = tests![
    negative_times_keep_sign_and_fraction,
    null_zero_partial_and_real_dates_are_four_things,
];

fn negative_times_keep_sign_and_fraction(servers: &Servers, flavor: Flavor) {
    for site in servers.all(flavor) {
        let case = Case::on(site, &["time_t"]).expect("every server has TIME");
        case.on_all_paths(
            &["INSERT INTO time_t VALUES
               (1,'-00:00:01','-00:00:00.01','-00:00:00.250','-00:00:00.000001'),
               (2,'-838:59:59','-838:59:59.00','-16:08:04.250','-16:08:04.010123')"],
            &[
                "INSERT INTO time_t VALUES
                 (3,'838:59:59','00:00:00.01','00:00:00.000','838:59:59.000000'), (4,0,0,0,0)",
                "UPDATE time_t SET t0='-00:00:59', t2='-99:59:59.99', t3='-00:00:01.000',
                 t6='-00:00:00.999999' WHERE id = 4",
            ],
            |snapshot| {
                let micros: Vec<[i64; 4]> = snapshot
                    .time_t()
                    .iter()
                    .map(|row| {
                        [row.t0, row.t2, row.t3, row.t6].map(|t| t.map_or(0, Time::as_micros))
                    })
                    .collect();
                const LONGEST: i64 = ((838 * 60 + 59) * 60 + 59) * 1_000_000;
                const SIXTEEN: i64 = ((16 * 60 + 8) * 60 + 4) * 1_000_000;
                let expected = [
                    [-1_000_000, -10_000, -250_000, -1],
                    [-LONGEST, -LONGEST, -SIXTEEN - 250_000, -SIXTEEN - 10_123],
                    [LONGEST, 10_000, 0, LONGEST],
                    [-59_000_000, -359_999_990_000, -1_000_000, -999_999],
                ];
                assert_eq!(micros, expected);
                let first = snapshot.time_t().get(1).expect("row 1");
                assert_eq!(
                    first.t2.map(|time| time.with_fsp(2).to_string()),
                    Some("-00:00:00.01".into())
                );
            },
        );
    }
}

fn null_zero_partial_and_real_dates_are_four_things(servers: &Servers, flavor: Flavor) {
    let date = |text: &str| text.parse::<Date>().expect("a date");
    let datetime = |text: &str| text.parse::<DateTime>().expect("a date and time");
    for site in servers.all(flavor) {
        let case = Case::on(site, &["zd_t"]).expect("every server has DATE");
        case.on_all_paths(
            &["INSERT INTO zd_t VALUES
               (1,'0000-00-00','0000-00-00 00:00:00','0000-00-00 00:00:00',NULL),
               (4,'2031-01-01','2031-01-01 00:00:00','2031-01-01 00:00:00','2031-01-01')"],
            &[
                "INSERT INTO zd_t VALUES
                 (2,'2031-00-15','2031-05-00 10:00:00','1970-01-01 00:00:01','0000-00-00'),
                 (3,'1000-01-01','9999-12-31 23:59:59','2038-01-19 03:14:07',NULL)",
                "UPDATE zd_t SET d='0000-05-00', dt='0000-00-01 00:00:00', ts=0, n='2031-12-00'
                 WHERE id = 4",
            ],
            |snapshot| {
                let rows: Vec<_> = snapshot
                    .zd_t()
                    .iter()
                    .map(|row| (row.d, row.dt, row.ts.as_micros(), row.n))
                    .collect();
                let expected = [
                    (
                        date("0000-00-00"),
                        datetime("0000-00-00 00:00:00"),
                        None,
                        None,
                    ),
                    (
                        date("2031-00-15"),
                        datetime("2031-05-00 10:00:00"),
                        Some(1_000_000),
                        Some(date("0000-00-00")),
                    ),
                    (
                        date("1000-01-01"),
                        datetime("9999-12-31 23:59:59"),
                        Some(2_147_483_647_000_000),
                        None,
                    ),
                    (
                        date("0000-05-00"),
                        datetime("0000-00-01 00:00:00"),
                        None,
                        Some(date("2031-12-00")),
                    ),
                ];
                assert_eq!(rows, expected);
            },
        );
    }
}
