//! Temporal values in row images: old formats and new.

use super::*;
use crate::image::test_support::{column, image_column};

fn time(fsp: u8, raw: &[u8]) -> Result<String, ValueError> {
    let image = image_column(column(ColumnType::Time { fsp }), 19, fsp.into());
    Time::from_image(Some(raw), &image).map(|value| value.with_fsp(fsp).to_string())
}

/// Case 05 of the field reports.
#[test]
fn negative_fraction_of_time_keeps_its_sign() {
    for (fsp, raw, text) in [
        (0, &[0x7f, 0xff, 0xff][..], "-00:00:01"),
        (2, &[0x7f, 0xff, 0xff, 0xff], "-00:00:00.01"),
        (3, &[0x7f, 0xff, 0xff, 0xf6, 0x3c], "-00:00:00.250"),
        (6, &[0x7f, 0xff, 0xff, 0xff, 0xff, 0xff], "-00:00:00.000001"),
        (0, &[0x4b, 0x91, 0x05], "-838:59:59"),
        (2, &[0x4b, 0x91, 0x05, 0], "-838:59:59.00"),
        (3, &[0x7e, 0xfd, 0xfb, 0xf6, 0x3c], "-16:08:04.250"),
        (6, &[0x7e, 0xfd, 0xfb, 0xff, 0xd8, 0x75], "-16:08:04.010123"),
        (0, &[0xb4, 0x6e, 0xfb], "838:59:59"),
        (2, &[0x80, 0, 0, 1], "00:00:00.01"),
        (3, &[0x80, 0, 0, 0, 0], "00:00:00.000"),
        (6, &[0xb4, 0x6e, 0xfb, 0, 0, 0], "838:59:59.000000"),
    ] {
        assert_eq!(time(fsp, raw).as_deref(), Ok(text));
    }
}

#[test]
fn time_outside_of_its_range_is_refused() {
    assert!(time(0, &[0xff, 0xff, 0xff]).is_err());
    assert!(time(0, &[0x80, 0, 60]).is_err());
    assert!(time(2, &[0x80, 0, 0, 0xff]).is_err());
    assert!(time(6, &[0x80, 0, 0, 0xff, 0xff, 0xff]).is_err());
    assert!(time(6, &[0x80, 0, 0, 0, 0]).is_err());
    assert!(time_from_packed(i64::MIN).is_err());
}

#[test]
fn old_formats_without_fraction_are_read() {
    let image = |code| image_column(column(ColumnType::Date), code, 0);
    let old_time =
        |number: i32| Time::from_image(Some(&number.to_le_bytes()[..3]), &image(11)).unwrap();
    assert_eq!(old_time(-8_385_959).to_string(), "-838:59:59");
    assert_eq!(old_time(-1).to_string(), "-00:00:01");
    assert_eq!(old_time(123_456).to_string(), "12:34:56");
    let digits = 20_310_500_100_007_u64.to_le_bytes();
    let value = DateTime::from_image(Some(&digits), &image(12)).unwrap();
    assert_eq!(value.to_string(), "2031-05-00 10:00:07");
    let value = Timestamp::from_image(Some(&1_u32.to_le_bytes()), &image(7)).unwrap();
    assert_eq!(value.to_string(), "1970-01-01 00:00:01");
    assert!(DateTime::from_image(Some(&u64::MAX.to_le_bytes()), &image(12)).is_err());
}

/// Case 08 of the field reports.
#[test]
fn zero_and_partial_dates_stay_what_they_are() {
    let image = |code| image_column(column(ColumnType::Date), code, 0);
    for (raw, text) in [
        ([0, 0, 0], "0000-00-00"),
        ([0x0f, 0xde, 0x0f], "2031-00-15"),
        ([0x21, 0xd0, 0x07], "1000-01-01"),
        ([0x9f, 0x1f, 0x4e], "9999-12-31"),
    ] {
        let value = Date::from_image(Some(&raw), &image(10)).unwrap();
        assert_eq!(value.to_string(), text);
    }
    for (raw, text) in [
        ([0x80, 0, 0, 0, 0], "0000-00-00 00:00:00"),
        ([0x99, 0xca, 0x00, 0xa0, 0x00], "2031-05-00 10:00:00"),
        ([0xfe, 0xf3, 0xff, 0x7e, 0xfb], "9999-12-31 23:59:59"),
    ] {
        let value = DateTime::from_image(Some(&raw), &image(18)).unwrap();
        assert_eq!(value.to_string(), text);
    }
    for (raw, text) in [
        ([0, 0, 0, 0], "0000-00-00 00:00:00"),
        ([0, 0, 0, 1], "1970-01-01 00:00:01"),
        ([0x7f, 0xff, 0xff, 0xff], "2038-01-19 03:14:07"),
        ([0xff, 0xff, 0xff, 0xff], "2106-02-07 06:28:15"),
    ] {
        let value = Timestamp::from_image(Some(&raw), &image(17)).unwrap();
        assert_eq!(value.to_string(), text);
    }
    assert!(Date::from_image(Some(&[0xff, 0xff, 0xff]), &image(10)).is_err());
    assert!(DateTime::from_image(Some(&[0x7f, 0, 0, 0, 0]), &image(18)).is_err());
    assert_eq!(
        Date::from_image(None, &image(10)),
        Err(ValueError::UnexpectedNull)
    );
}

#[test]
fn fractions_of_every_precision_are_read() {
    for (fsp, raw, text) in [
        (1, &[0x7f, 0xff, 0xff, 0xff, 90][..], ".9"),
        (2, &[0x7f, 0xff, 0xff, 0xff, 99], ".99"),
        (3, &[0x7f, 0xff, 0xff, 0xff, 0x27, 0x06], ".999"),
        (4, &[0x7f, 0xff, 0xff, 0xff, 0x27, 0x0f], ".9999"),
        (5, &[0x7f, 0xff, 0xff, 0xff, 0x0f, 0x42, 0x36], ".99999"),
        (6, &[0x7f, 0xff, 0xff, 0xff, 0x0f, 0x42, 0x3f], ".999999"),
    ] {
        let image = image_column(column(ColumnType::Timestamp { fsp }), 17, fsp.into());
        let value = Timestamp::from_image(Some(raw), &image).unwrap();
        let printed = value.with_fsp(fsp).to_string();
        assert_eq!(printed, format!("2038-01-19 03:14:07{text}"));
    }
}

#[test]
fn selected_times_are_those_of_the_binlog() {
    let layout = column(ColumnType::Time { fsp: 6 });
    let selected = Time::from_select(SelectValue::Time(true, 34, 22, 59, 59, 0), layout);
    assert_eq!(selected, "-838:59:59".parse().map_err(|_| BAD_TIME));
    assert!(Time::from_select(SelectValue::Time(false, u32::MAX, 0, 0, 0, 0), layout).is_err());
    let zero = SelectValue::Date(0, 0, 0, 0, 0, 0, 0);
    assert_eq!(Date::from_select(zero.clone(), layout), Ok(Date::ZERO));
    assert_eq!(
        Timestamp::from_select(zero.clone(), layout),
        Ok(Timestamp::ZERO)
    );
    assert_eq!(DateTime::from_select(zero, layout), Ok(DateTime::ZERO));
    let partial = SelectValue::Date(2031, 0, 15, 0, 0, 0, 0);
    assert!(Timestamp::from_select(partial, layout).is_err());
    assert!(matches!(
        Date::from_select(SelectValue::Int(1), layout),
        Err(ValueError::Kind { .. })
    ));
}
