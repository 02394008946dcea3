//! Types that columns of the test tables are held in, as users have them.

/// An id that takes every number.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
pub struct ChoiceId(pub u32);

impl From<u32> for ChoiceId {
    fn from(number: u32) -> Self {
        Self(number)
    }
}

impl From<ChoiceId> for u32 {
    fn from(id: ChoiceId) -> Self {
        id.0
    }
}

/// Text in capitals.
#[derive(
    Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
)]
pub struct Code(Box<str>);

impl Code {
    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Why text is no [`Code`]; it does not say which text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoCode;

impl TryFrom<Box<str>> for Code {
    type Error = NoCode;

    fn try_from(text: Box<str>) -> Result<Self, NoCode> {
        if text.chars().all(|c| c.is_ascii_uppercase()) {
            Ok(Self(text))
        } else {
            Err(NoCode)
        }
    }
}

impl From<Code> for Box<str> {
    fn from(code: Code) -> Self {
        code.0
    }
}
