//! GEOMETRY and its subtypes.

use integration::cases::{Case, Servers};
use integration::harness::Test;
use integration::tests;
use lab::Flavor;
use mirror_runtime::Geometry;

pub(crate) const TESTS: &[Test] = tests![geometries_of_each_kind_are_srid_and_wkb];

/// WKB of a point (OGC 06-103r4, "Well-known Binary Representation"): little endian.
fn point(x: f64, y: f64) -> Vec<u8> {
    [header(1), coordinates(x, y)].concat()
}

fn header(kind: u32) -> Vec<u8> {
    [&[1][..], &kind.to_le_bytes()].concat()
}

fn coordinates(x: f64, y: f64) -> Vec<u8> {
    [x.to_le_bytes(), y.to_le_bytes()].concat()
}

/// Something that counts its parts.
fn counted(kind: u32, parts: &[Vec<u8>]) -> Vec<u8> {
    let count = (parts.len() as u32).to_le_bytes().to_vec();
    [header(kind), count, parts.concat()].concat()
}

/// A triangle's closed ring, as a part of a polygon.
fn ring(size: f64) -> Vec<u8> {
    let corners = [(0.0, 0.0), (size, 0.0), (0.0, size), (0.0, 0.0)];
    let count = 4_u32.to_le_bytes().to_vec();
    let corners = corners.map(|(x, y)| coordinates(x, y)).concat();
    [count, corners].concat()
}

/// The text and the WKB of one value for each column: of any kind, and of the seven kinds.
fn shapes(size: f64) -> [(String, Vec<u8>); 8] {
    let s = size;
    let line = counted(2, &[coordinates(0.0, 0.0), coordinates(s, -s)]);
    let polygon = counted(3, &[ring(s)]);
    let triangle = format!("(0 0,{s} 0,0 {s},0 0)");
    [
        (format!("POINT({s} 0)"), point(s, 0.0)),
        (format!("POINT(-{s} {s})"), point(-s, s)),
        (format!("LINESTRING(0 0,{s} -{s})"), line.clone()),
        (format!("POLYGON({triangle})"), polygon.clone()),
        (
            format!("MULTIPOINT(0 0,{s} {s})"),
            counted(4, &[point(0.0, 0.0), point(s, s)]),
        ),
        (
            format!("MULTILINESTRING((0 0,{s} -{s}),(0 0,{s} -{s}))"),
            counted(5, &[line.clone(), line.clone()]),
        ),
        (
            format!("MULTIPOLYGON(({triangle}))"),
            counted(6, std::slice::from_ref(&polygon)),
        ),
        (
            format!("GEOMETRYCOLLECTION(POINT({s} 0),LINESTRING(0 0,{s} -{s}))"),
            counted(7, &[point(s, 0.0), line]),
        ),
    ]
}

fn geometries_of_each_kind_are_srid_and_wkb(servers: &Servers, flavor: Flavor) {
    // 4326 has latitude first in texts on MySQL; the numbers here are no places on earth.
    let edges = [(1.0, 0), (0.5, 0), (1e6, 3857), (1024.25, 0)].map(|(size, srid): (f64, u32)| {
        let shapes = shapes(size);
        let literals = shapes
            .each_ref()
            .map(|(text, _)| format!("ST_GeomFromText('{text}', {srid})"));
        let values = shapes.map(|(_, wkb)| [srid.to_le_bytes().to_vec(), wkb].concat());
        (literals.join(", "), values.to_vec())
    });
    for site in servers.all(flavor) {
        let case = Case::on(site, &["t_geometries"]).expect("every server has GEOMETRY");
        case.on_edges("g, p, l, y, mp, ml, my, c", &edges, |snapshot, id| {
            let row = snapshot.t_geometries().get(id)?;
            let all = [
                &row.g, &row.p, &row.l, &row.y, &row.mp, &row.ml, &row.my, &row.c,
            ];
            assert_eq!(row.g.wkb(), &row.g.as_bytes()[4..]);
            Some(
                all.map(|geometry: &Geometry| geometry.as_bytes().to_vec())
                    .to_vec(),
            )
        });
    }
}
