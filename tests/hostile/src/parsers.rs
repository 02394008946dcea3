//! Parsers of one thing: binary JSON, DECIMAL, character sets, events that steer the stream.

use mirror_runtime::image::{ImageColumn, type_code};
use mirror_runtime::layout::{ColumnLayout, ColumnType};
use mirror_runtime::row::SelectValue;
use mirror_runtime::source::event::{
    FormatDescription, Heartbeat, Incident, QueryEvent, Rotate, TransactionPayload, event_type,
    rows_query, xid,
};
use mirror_runtime::source::{BinlogPosition, GtidEvent, GtidSet, PositionTracker};
use mirror_runtime::{BigDecimal, Charset, ColumnValue, Decimal, Json};

use crate::columns::leaked;
use crate::event::{Placer, parts};

/// A value of MySQL's binary JSON.
///
/// What is read is valid JSON, and takes no more than about eight times the bytes.
pub fn json(raw: &[u8]) {
    let column = image_column(&JSON, type_code::JSON, 4);
    let Ok(json) = Json::from_image(Some(raw), &column) else {
        return;
    };
    let text = json.as_str();
    assert!(
        text.len() <= 8 * raw.len() + 64,
        "{} of {}",
        text.len(),
        raw.len()
    );
    serde_json::from_str::<&serde_json::value::RawValue>(text).unwrap();
    assert!(json.equals_image(Some(raw), &column).unwrap());
}

static JSON: ColumnLayout = ColumnLayout {
    name: "c",
    ordinal: 0,
    nullable: true,
    sql_type: "json",
    charset: None,
    generated_from: None,
    kind: ColumnType::Json,
};

/// A packed DECIMAL behind its precision and scale, a byte each.
///
/// Both Rust types say the same, and the value that is read is the one that a SELECT of its
/// digits gives. With the declared precision, no more than that many digits are read.
pub fn decimal(input: &[u8]) {
    let [precision, scale, raw @ ..] = input else {
        return;
    };
    let (precision, scale) = (*precision, *scale);
    let layout = ColumnLayout {
        kind: ColumnType::Decimal { precision, scale },
        ..JSON
    };
    let meta = u16::from_be_bytes([precision, scale]);
    // Only what is decided by precision and scale is leaked: at most 65536 layouts.
    let column = image_column(leaked(layout), type_code::NEWDECIMAL, meta);
    let big = BigDecimal::from_image(Some(raw), &column);
    let small = Decimal::from_image(Some(raw), &column);
    let Ok(big) = big else {
        assert!(small.is_err());
        return;
    };
    let text = shown(&big, &layout);
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    assert!(digits <= usize::from(precision) + 1);
    let selected = || SelectValue::Bytes(text.clone().into_bytes());
    assert_eq!(BigDecimal::from_select(selected(), &layout).unwrap(), big);
    assert!(big.equals_image(Some(raw), &column).unwrap());
    if let Ok(small) = small {
        assert_eq!(shown(&small, &layout), text);
        assert_eq!(Decimal::from_select(selected(), &layout).unwrap(), small);
        assert!(small.equals_image(Some(raw), &column).unwrap());
    }
}

fn shown(value: &impl ColumnValue, layout: &ColumnLayout) -> String {
    match value.as_value(layout) {
        mirror_runtime::Value::Decimal(text) => text,
        other => panic!("{other:?} of a DECIMAL"),
    }
}

/// Text in any character set behind its index, a byte.
///
/// A character takes at most four bytes in UTF-8, and at least one in its own character set; an
/// error is at a place within the bytes.
pub fn charset(input: &[u8]) {
    let Some((index, raw)) = input.split_first() else {
        return;
    };
    let charset = Charset::ALL[usize::from(*index) % Charset::ALL.len()];
    match charset.decode(raw) {
        Ok(text) => {
            assert!(text.chars().count() <= 2 * raw.len(), "{}", charset.name());
            assert!(text.len() <= 6 * raw.len(), "{}", charset.name());
        }
        Err(mirror_runtime::ValueError::Text { at, .. }) => assert!(at < raw.len()),
        Err(error) => panic!("{error:?}"),
    }
}

/// The types of events that [`events`] reads.
pub const PARSED_TYPES: [u8; 12] = [
    event_type::QUERY,
    event_type::ROTATE,
    event_type::FORMAT_DESCRIPTION,
    event_type::XID,
    event_type::INCIDENT,
    event_type::HEARTBEAT,
    event_type::HEARTBEAT_V2,
    event_type::ROWS_QUERY,
    event_type::GTID,
    event_type::GTID_TAGGED,
    event_type::MARIADB_GTID,
    event_type::TRANSACTION_PAYLOAD,
];

/// Events in a row (see [`parts`]), each read by every parser of events that
/// steer the stream.
///
/// GTIDs that are read can be added to a set that then holds them, and whose text is read back
/// as the same set.
pub fn events(input: &[u8]) {
    let mut placer = Placer::new();
    let mut tracker = PositionTracker::new(BinlogPosition::start_of("b.000001"));
    for parts in parts(input) {
        placer.place(parts, |event| {
            let _ = tracker.advance(&event.header);
            let _ = QueryEvent::parse(event).map(|query| {
                let _ = (query.ansi_quotes(), query.no_backslash_escapes());
                query.statement_text().len()
            });
            if let Ok(rotate) = Rotate::parse(event) {
                let _ = format!("{rotate:?}");
            }
            let _ = Heartbeat::parse(event).map(|heartbeat| format!("{heartbeat:?}"));
            let _ = Incident::parse(event).map(|incident| format!("{incident:?}"));
            let _ = xid(event);
            let _ = rows_query(event);
            let _ = TransactionPayload::parse(event.body);
            if let Ok(format) = FormatDescription::parse(event) {
                let _ = format.post_header_length(event.header.type_code);
            }
            if let Ok(Some(gtid)) = GtidEvent::parse(event)
                && let Some(gtid) = gtid.gtid
            {
                in_a_set(&gtid);
            }
        });
    }
}

fn in_a_set(gtid: &mirror_runtime::source::Gtid) {
    use mirror_runtime::source::{Family, Gtid};
    let family = match gtid {
        Gtid::MySql(_) => Family::MySql,
        Gtid::MariaDb(_) => Family::MariaDb,
    };
    let mut set = GtidSet::empty(family);
    if !set.add(gtid) {
        return;
    }
    assert!(set.contains(gtid), "{gtid}");
    assert_eq!(GtidSet::parse(&set.to_string(), family).as_ref(), Ok(&set));
}

pub(crate) fn image_column(layout: &'static ColumnLayout, type_code: u8, meta: u16) -> ImageColumn {
    ImageColumn {
        layout,
        type_code,
        meta,
        family: mirror_runtime::source::Family::MySql,
    }
}
