//! `serde` for the types of this crate, so that rows may derive `serde::Serialize` and
//! `serde::Deserialize`: dates and times are strings as the server prints them with six digits of
//! a fraction where they have one, a JSON document is itself (with `serde_json`), a geometry is
//! its bytes, a vector a list of numbers.

use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;

use serde::de::{Error as _, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

use super::{Date, DateTime, Geometry, Json, Text, Time, Timestamp, Vector};

/// Takes a string that `T` can be read from.
struct TextVisitor<T>(PhantomData<T>);

impl<T> Visitor<'_> for TextVisitor<T>
where
    T: FromStr,
    T::Err: fmt::Display,
{
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a date or time as the server prints it")
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<T, E> {
        text.parse().map_err(E::custom)
    }
}

macro_rules! as_text {
    ($($ty:ty),*) => {
        $(
            impl Serialize for $ty {
                fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                    serializer.collect_str(self)
                }
            }

            impl<'de> Deserialize<'de> for $ty {
                fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                    deserializer.deserialize_str(TextVisitor(PhantomData))
                }
            }
        )*
    };
}

as_text!(Date, DateTime, Timestamp, Time);

impl Serialize for Text {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self::from)
    }
}

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let raw: &RawValue = serde_json::from_str(self.as_str())
            .map_err(|_| serde::ser::Error::custom("the text of a Json is no JSON document"))?;
        raw.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        Ok(Self::from_text(raw.get()))
    }
}

impl Serialize for Geometry {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.as_bytes().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Geometry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let bytes = Box::<[u8]>::deserialize(deserializer)?;
        Self::from_bytes(bytes).ok_or_else(|| D::Error::custom("a geometry without its SRID"))
    }
}

impl Serialize for Vector {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.as_slice().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Vector {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self::new(Box::<[f32]>::deserialize(deserializer)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Through JSON and back.
    fn round<T>(value: &T, json: &str)
    where
        T: Serialize + for<'de> Deserialize<'de> + PartialEq + fmt::Debug,
    {
        assert_eq!(serde_json::to_string(value).unwrap(), json);
        assert_eq!(serde_json::from_str::<T>(json).unwrap(), *value);
    }

    #[test]
    fn values_come_back_from_json() {
        round(&"2031-00-15".parse::<Date>().unwrap(), "\"2031-00-15\"");
        let time: Time = "-838:59:59.5".parse().unwrap();
        round(&time, &format!("\"{time}\""));
        let moment: DateTime = "2031-02-03 04:05:06.789012".parse().unwrap();
        round(&moment, "\"2031-02-03 04:05:06.789012\"");
        let moment: Timestamp = "2031-02-03 04:05:06".parse().unwrap();
        round(&moment, &format!("\"{moment}\""));
        round(&Text::from("it's 9 bytes"), "\"it's 9 bytes\"");
        round(
            &Json::from_text("{\"a\": 18446744073709551615, \"b\": 1.50}"),
            "{\"a\": 18446744073709551615, \"b\": 1.50}",
        );
        round(&Vector::new([1.05, -17.8]), "[1.05,-17.8]");
        let geometry = Geometry::from_bytes([1, 0, 0, 0, 7]).unwrap();
        round(&geometry, "[1,0,0,0,7]");
    }

    #[test]
    fn what_is_no_value_is_an_error() {
        assert!(serde_json::from_str::<Date>("\"2031-13-01\"").is_err());
        assert!(serde_json::from_str::<Geometry>("[1,2]").is_err());
        assert!(serde_json::to_string(&Json::from_text("{")).is_err());
    }
}
