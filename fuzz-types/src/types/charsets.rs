//! Character sets of both servers and text that each can hold.

use crate::product::Product;

/// A character set.
pub(super) struct Charset {
    pub(super) name: &'static str,
    /// Bytes of its widest character.
    pub(super) widest: usize,
    /// Characters that it has besides ASCII.
    pub(super) sample: &'static str,
    pub(super) on: fn(Product) -> bool,
    /// Every byte is a character of it. (Where one is not, the mirror refuses the value.)
    pub(super) any_bytes: bool,
}

fn both(_: Product) -> bool {
    true
}

fn eight_bit(name: &'static str, sample: &'static str) -> Charset {
    Charset {
        name,
        widest: 1,
        sample,
        on: both,
        any_bytes: WHOLE.contains(&name),
    }
}

fn wide(name: &'static str, widest: usize, sample: &'static str) -> Charset {
    Charset {
        name,
        widest,
        sample,
        on: both,
        any_bytes: false,
    }
}

/// Character sets in which every byte is a character.
const WHOLE: [&str; 6] = ["latin1", "cp850", "cp852", "cp866", "koi8r", "macroman"];

const UNICODE: &str = "éßüñ€–日本語中文한국ไทยΩжא😀🦀𝄞ﷺ\u{200d}\u{301}";
const BMP: &str = "éßüñ€–日本語中文한국ไทยΩжאﷺ\u{200d}\u{301}";
const HAN: &str = "中文字符測試的是我不人在有";
const SIMPLIFIED: &str = "中文字符测试的是我不人在有αβ";
const JAPANESE: &str = "日本語テストあいうえおカタカナ漢字";

/// Those that are not one of the usual ones (utf8mb4, utf8mb3, ascii).
pub(super) fn charsets(product: Product) -> Vec<Charset> {
    let mut all = vec![
        eight_bit("latin1", "éßüñ€–ŠžŸ™"),
        eight_bit("latin2", "ąćęłńóśźżčřž"),
        eight_bit("latin5", "éßüñğışİ"),
        eight_bit("latin7", "āčēģīķļņšūž"),
        eight_bit("cp1250", "ąćęłńóśźż€–"),
        eight_bit("cp1251", "привет€№Їё"),
        eight_bit("cp1256", "مرحبا€پچ"),
        eight_bit("cp1257", "āčēģīķļņšūž€"),
        eight_bit("cp850", "éßüñ░▒▓│┤"),
        eight_bit("cp852", "ąćęłńóśźż░"),
        eight_bit("cp866", "привет░▒▓№"),
        eight_bit("koi8r", "приветЁ─│┌"),
        eight_bit("koi8u", "привітїєґЁ"),
        eight_bit("greek", "Ωαβγδέή"),
        eight_bit("hebrew", "שלוםאבג"),
        eight_bit("macce", "ąćęłńóśźż†"),
        eight_bit("macroman", "éßüñ†‡•"),
        eight_bit("dec8", "éßüñ"),
        eight_bit("hp8", "éßüñ"),
        Charset {
            any_bytes: false,
            ..eight_bit("swe7", "åäöÅÄÖ")
        },
        eight_bit("keybcs2", "čřžáíéý"),
        eight_bit("armscii8", "Ձևայբ"),
        eight_bit("geostd8", "აბგდე"),
        eight_bit("tis620", "ไทยสวัสดี"),
        wide("gbk", 2, SIMPLIFIED),
        wide("gb2312", 2, SIMPLIFIED),
        wide("big5", 2, HAN),
        wide("sjis", 2, JAPANESE),
        wide("cp932", 2, "日本語テストｱｲｳ①②㈱～"),
        wide("ujis", 3, JAPANESE),
        wide("eucjpms", 3, "日本語テストｱｲｳ①②㈱"),
        wide("euckr", 2, "한국어시험가나다"),
        wide("ucs2", 2, BMP),
        wide("utf16", 4, UNICODE),
        wide("utf16le", 4, UNICODE),
        wide("utf32", 4, UNICODE),
        Charset {
            on: |product| product.mysql(5, 7),
            ..wide("gb18030", 4, UNICODE)
        },
    ];
    all.retain(|charset| (charset.on)(product));
    all
}

/// utf8mb4, utf8mb3 or ascii.
pub(super) fn usual(name: &'static str) -> Charset {
    match name {
        "utf8mb4" => wide("utf8mb4", 4, UNICODE),
        "utf8" => wide("utf8", 3, BMP),
        _ => Charset {
            any_bytes: false,
            ..eight_bit("ascii", "~!")
        },
    }
}
