//! Text as rows hold it: one word, with up to eight bytes in place.

use std::borrow::{Borrow, Cow};
use std::fmt;
use std::ops::Deref;

use cold_string::ColdString;

/// Text of a row: 8 bytes, of which a text of up to 8 bytes is a part; a longer one is on the heap
/// behind its length. It is read as the `str` that it derefs to.
///
/// An `Option` of it takes 8 bytes too. Text is compared byte by byte.
///
/// ```
/// use mirror_runtime::Text;
///
/// let text = Text::from("Zürich");
/// assert_eq!(text, "Zürich");
/// assert_eq!(text.to_uppercase(), "ZÜRICH");
/// assert_eq!(size_of::<Option<Text>>(), 8);
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Text(ColdString);

impl Text {
    /// The text.
    #[inline]
    #[must_use]
    pub fn as_str(&self) -> &str {
        self.0.as_str()
    }

    /// Bytes that it has on the heap: 0 up to a length of 8 bytes.
    #[inline]
    #[must_use]
    pub fn heap_bytes(&self) -> usize {
        /// Below this, the length is one byte.
        const SHORT: usize = 257;
        match self.0.len() {
            _ if self.0.is_inline() => 0,
            length if length < SHORT => length + 1,
            length => length + size_of::<u32>(),
        }
    }
}

impl Default for Text {
    #[inline(always)]
    fn default() -> Self {
        Self(const { ColdString::new_inline_const("") })
    }
}

impl Deref for Text {
    type Target = str;

    #[inline]
    fn deref(&self) -> &str {
        self.as_str()
    }
}

impl AsRef<str> for Text {
    #[inline]
    fn as_ref(&self) -> &str {
        self.as_str()
    }
}

impl Borrow<str> for Text {
    #[inline]
    fn borrow(&self) -> &str {
        self.as_str()
    }
}

impl From<&str> for Text {
    #[inline]
    fn from(text: &str) -> Self {
        Self(ColdString::new(text))
    }
}

impl From<String> for Text {
    #[inline]
    fn from(text: String) -> Self {
        Self::from(text.as_str())
    }
}

impl From<Box<str>> for Text {
    #[inline]
    fn from(text: Box<str>) -> Self {
        Self::from(&*text)
    }
}

impl From<Cow<'_, str>> for Text {
    #[inline]
    fn from(text: Cow<'_, str>) -> Self {
        Self::from(&*text)
    }
}

impl From<Text> for String {
    fn from(text: Text) -> Self {
        text.as_str().to_owned()
    }
}

impl From<Text> for Box<str> {
    fn from(text: Text) -> Self {
        text.as_str().into()
    }
}

impl PartialEq<str> for Text {
    #[inline]
    fn eq(&self, other: &str) -> bool {
        self.as_str() == other
    }
}

impl PartialEq<&str> for Text {
    #[inline]
    fn eq(&self, other: &&str) -> bool {
        self.as_str() == *other
    }
}

impl PartialEq<String> for Text {
    #[inline]
    fn eq(&self, other: &String) -> bool {
        self.as_str() == other.as_str()
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self.as_str(), f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Texts around every length at which they are held in another way, of characters of one to
    /// four bytes, with zeros and the highest bytes that text has.
    fn texts() -> Vec<String> {
        let lengths = (0..=20)
            .chain(250..=270)
            .chain([65_535, 65_791, 65_792, 70_000]);
        let characters = [
            "a",
            "\0",
            "\u{7f}",
            "é",
            "\u{7ff}",
            "€",
            "\u{ffff}",
            "😀",
            "\u{10ffff}",
        ];
        let mut texts = Vec::new();
        for length in lengths {
            for character in characters {
                let whole = character.repeat(length / character.len());
                texts.push(format!("{whole}{}", "z".repeat(length - whole.len())));
                texts.push(format!("{}{whole}", "z".repeat(length - whole.len())));
            }
        }
        texts.sort();
        texts.dedup();
        texts
    }

    #[test]
    fn text_of_every_length_comes_back() {
        for expected in texts() {
            let text = Text::from(expected.as_str());
            assert_eq!(text.as_str(), expected);
            assert_eq!(text.clone().as_str(), expected);
            assert_eq!(Some(text).as_deref(), Some(expected.as_str()));
        }
        assert_eq!(None::<Text>.as_deref(), None);
        assert_eq!(Text::default(), "");
    }

    #[test]
    fn texts_compare_and_hash_as_their_bytes() {
        use std::collections::hash_map::DefaultHasher;
        use std::hash::{Hash, Hasher};
        fn hash(value: impl Hash) -> u64 {
            let mut hasher = DefaultHasher::new();
            value.hash(&mut hasher);
            hasher.finish()
        }
        let some: Vec<String> = texts()
            .into_iter()
            .filter(|text| text.len() < 300)
            .collect();
        for one in &some {
            assert_eq!(hash(Text::from(one.as_str())), hash(one.as_str()));
            for other in some.iter().step_by(7).chain([one]) {
                let (text, beside) = (Text::from(one.as_str()), Text::from(other.as_str()));
                assert_eq!(text.cmp(&beside), one.cmp(other));
                assert_eq!(text == beside, one == other);
            }
        }
    }
}
