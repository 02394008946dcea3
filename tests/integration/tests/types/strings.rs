//! CHAR, VARCHAR, TEXT, BINARY, VARBINARY, BLOB, and MariaDB's COMPRESSED columns.

use integration::cases::{Case, Servers};
use integration::edge::{bytes_literal, text_literal};
use integration::harness::Test;
use integration::tests;
use lab::Flavor;

pub(crate) const TESTS: &[Test] = tests![
    texts_of_each_length_are_whole,
    binaries_are_padded_to_their_length,
    blobs_of_each_length_are_whole,
    compressed_columns_are_as_without_compression,
];

/// Texts for columns of 10, 255, 20, 300, 255 / 4, and any number of characters.
fn texts_of_each_length_are_whole(servers: &Servers, flavor: Flavor) {
    const LONGEST_TEXT: usize = 16_383;
    let rows: [[String; 8]; 5] = [
        [10, 255, 20, 300, 63, LONGEST_TEXT, 20_000, 20_000].map(|count| "🦀".repeat(count)),
        [10, 255, 20, 300, 255, 65_535, 70_000, 70_000].map(|count| "x".repeat(count)),
        [0; 8].map(|_| String::new()),
        // CHAR loses the spaces at its end, the others keep them.
        [" a", " a", " a  ", " a  ", " a  ", " a  ", " a  ", " a  "].map(str::to_owned),
        [
            "it's \\ %",
            "\0",
            "\"q\"\n\t",
            "e\u{301}\u{feff}",
            "\u{7f}",
            "ß",
            "日本",
            "\u{1}",
        ]
        .map(str::to_owned),
    ];
    let edges = rows.map(|row| {
        let literals = row.each_ref().map(|text| text_literal(text));
        (literals.join(", "), row)
    });
    for site in servers.all(flavor) {
        let case = Case::on(site, &["t_texts"]).expect("every server has text");
        let columns = "c10, c255, v20, v300, tiny, plain, medium, huge";
        case.on_edges(columns, &edges, |snapshot, id| {
            let row = snapshot.t_texts().get(id)?;
            let texts = [
                &row.c10,
                &row.c255,
                &row.v20,
                &row.v300,
                &row.tiny,
                &row.plain,
                &row.medium,
                &row.huge,
            ];
            Some(texts.map(|text| text.to_string()))
        });
    }
}

fn binaries_are_padded_to_their_length(servers: &Servers, flavor: Flavor) {
    let rows: [[Vec<u8>; 3]; 6] = [
        [vec![], vec![], vec![]],
        [vec![0xff], vec![0xff; 16], vec![0xff; 255]],
        [vec![0], vec![1, 0], vec![0, 0, 1, 0]],
        [vec![0x20], b"a \0 ".to_vec(), b"  ".to_vec()],
        [vec![0x80], vec![0xf0, 0x28, 0x8c, 0x28], vec![7; 254]],
        [vec![b'\''], b"\\'\"\n".to_vec(), vec![0; 255]],
    ];
    let edges = rows.map(|row| {
        let literals = row.each_ref().map(|bytes| bytes_literal(bytes));
        let mut lengths = [1, 16, 255].into_iter();
        let padded = row.map(|mut bytes| {
            bytes.resize(lengths.next().unwrap_or_default(), 0);
            bytes
        });
        (literals.join(", "), padded)
    });
    for site in servers.all(flavor) {
        let case = Case::on(site, &["t_binaries"]).expect("every server has BINARY");
        case.on_edges("b1, b16, b255", &edges, |snapshot, id| {
            let row = snapshot.t_binaries().get(id)?;
            Some([&row.b1, &row.b16, &row.b255].map(|bytes| bytes.to_vec()))
        });
    }
}

fn blobs_of_each_length_are_whole(servers: &Servers, flavor: Flavor) {
    let rows: [[Vec<u8>; 6]; 4] = [
        [10, 300, 255, 65_535, 70_000, 70_000].map(|count| vec![0xa5; count]),
        [0; 6].map(|_| vec![]),
        [10, 256, 255, 256, 65_536, 65_536].map(|count| vec![0; count]),
        [
            vec![0x20; 3],
            vec![1, 0, 0],
            b"\\'\"\n".to_vec(),
            vec![0xf0, 0x28],
            vec![0],
            vec![0xff],
        ],
    ];
    let edges = rows.map(|row| {
        let literals = row.each_ref().map(|bytes| bytes_literal(bytes));
        (literals.join(", "), row)
    });
    for site in servers.all(flavor) {
        let case = Case::on(site, &["t_blobs"]).expect("every server has BLOB");
        case.on_edges(
            "v10, v300, tiny, plain, medium, huge",
            &edges,
            |snapshot, id| {
                let row = snapshot.t_blobs().get(id)?;
                let all = [
                    &row.v10,
                    &row.v300,
                    &row.tiny,
                    &row.plain,
                    &row.medium,
                    &row.huge,
                ];
                Some(all.map(|bytes| bytes.to_vec()))
            },
        );
    }
}

fn compressed_columns_are_as_without_compression(servers: &Servers, flavor: Flavor) {
    // The server compresses from 100 bytes on.
    let rows: [(String, Vec<u8>); 5] = [
        (String::new(), vec![]),
        ("short".into(), vec![0]),
        ("é".repeat(100), vec![0; 300]),
        ("x".repeat(99), vec![1; 99]),
        ("🦀".repeat(300), (0..=255).collect()),
    ];
    let edges = rows.map(|(text, bytes)| {
        let (long, large) = (text.repeat(300), bytes.repeat(300));
        let literals = [
            text_literal(&text),
            bytes_literal(&bytes),
            text_literal(&long),
            bytes_literal(&large),
        ];
        (literals.join(", "), (text, bytes, long, large))
    });
    for site in servers.all(flavor) {
        let Some(case) = Case::on_mariadb(site, &["t_compressed"]) else {
            return;
        };
        case.on_edges("v, b, t, bl", &edges, |snapshot, id| {
            let row = snapshot.t_compressed().get(id)?;
            Some((
                row.v.to_string(),
                row.b.to_vec(),
                row.t.to_string(),
                row.bl.to_vec(),
            ))
        });
    }
}
