//! FLOAT and DOUBLE, bit by bit, and floats with a total order for keys.

use std::cmp::Ordering;
use std::fmt;

use super::select::{kind_error, not_null, refuse_null};
use crate::error::ValueError;
use crate::image::ImageColumn;
use crate::layout::ColumnLayout;
use crate::row::{ColumnValue, SelectValue};
use crate::source::Family;
use crate::value::Value;

macro_rules! total_float {
    ($name:ident, $float:ty, $sql:literal) => {
        #[doc = concat!("A ", $sql, " with a total order, so that it can be part of a key.")]
        ///
        /// Ordered by IEEE 754 totalOrder, except that both zeros are one value, as on the server.
        #[derive(Clone, Copy, Default)]
        pub struct $name(pub $float);

        impl $name {
            /// The number.
            #[must_use]
            pub const fn get(self) -> $float {
                self.0
            }

            /// The number with both zeros made one.
            fn normal(self) -> $float {
                if self.0 == 0.0 { 0.0 } else { self.0 }
            }
        }

        impl Ord for $name {
            fn cmp(&self, other: &Self) -> Ordering {
                self.normal().total_cmp(&other.normal())
            }
        }

        impl PartialOrd for $name {
            fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
                Some(self.cmp(other))
            }
        }

        impl PartialEq for $name {
            fn eq(&self, other: &Self) -> bool {
                self.cmp(other) == Ordering::Equal
            }
        }

        impl Eq for $name {}

        impl std::hash::Hash for $name {
            fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
                self.normal().to_bits().hash(state);
            }
        }

        impl From<$float> for $name {
            fn from(number: $float) -> Self {
                Self(number)
            }
        }

        impl From<$name> for $float {
            fn from(total: $name) -> Self {
                total.0
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Debug::fmt(&self.0, f)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(&self.0, f)
            }
        }
    };
}

total_float!(TotalF32, f32, "FLOAT");
total_float!(TotalF64, f64, "DOUBLE");

macro_rules! float_column {
    ($float:ty, $width:literal, $variant:ident, $sql:literal) => {
        impl ColumnValue for $float {
            #[inline]
            fn from_image(raw: Option<&[u8]>, column: &ImageColumn) -> Result<Self, ValueError> {
                let raw = not_null(raw)?;
                match raw.try_into() {
                    // MariaDB may store -0, and gives 0 to everybody who asks.
                    Ok(bytes) if column.family == Family::MariaDb => {
                        Ok(Self::from_le_bytes(bytes) + 0.0)
                    }
                    Ok(bytes) => Ok(Self::from_le_bytes(bytes)),
                    Err(_) => Err(ValueError::Length {
                        expected: $width,
                        found: raw.len(),
                    }),
                }
            }

            #[inline]
            fn equals_image(
                &self,
                raw: Option<&[u8]>,
                column: &ImageColumn,
            ) -> Result<bool, ValueError> {
                let other = Self::from_image(raw, column)?;
                Ok(self.to_bits() == other.to_bits())
            }

            #[inline]
            fn from_select(value: SelectValue, _column: &ColumnLayout) -> Result<Self, ValueError> {
                match refuse_null(value)? {
                    SelectValue::$variant(number) => Ok(number),
                    other => Err(kind_error($sql, &other)),
                }
            }

            fn as_value<'a>(&'a self, _column: &'a ColumnLayout) -> Value<'a> {
                Value::$variant(*self)
            }
        }
    };
}

float_column!(f32, 4, Float, "FLOAT");
float_column!(f64, 8, Double, "DOUBLE");

#[cfg(test)]
mod tests {
    use super::*;
    use crate::image::test_support::{column, image_column};
    use crate::layout::ColumnType;

    #[test]
    fn floats_keep_their_bits() {
        let single = column(ColumnType::Float);
        let image = image_column(single, 4, 4);
        for bits in [0x3dcc_cccd_u32, 1, 0x8000_0000, 0x7f7f_ffff] {
            let value = f32::from_image(Some(&bits.to_le_bytes()), &image).unwrap();
            assert_eq!(value.to_bits(), bits);
            let selected =
                f32::from_select(SelectValue::Float(f32::from_bits(bits)), single).unwrap();
            assert_eq!(selected.to_bits(), bits);
        }
        assert_eq!(
            f64::from_image(Some(&[0; 4]), &image),
            Err(ValueError::Length {
                expected: 8,
                found: 4
            })
        );
        assert!(f32::from_select(SelectValue::Double(0.1), single).is_err());
    }

    #[test]
    fn a_float_equals_its_image_bit_by_bit() {
        let layout = column(ColumnType::Double);
        let image = image_column(layout, 5, 8);
        for number in [0.0, -0.0, 1.5, f64::NAN, f64::INFINITY] {
            let raw = number.to_le_bytes();
            assert_eq!(number.equals_image(Some(&raw), &image), Ok(true));
        }
        assert_eq!(
            0.0.equals_image(Some(&(-0.0f64).to_le_bytes()), &image),
            Ok(false)
        );
    }

    #[test]
    fn total_order_treats_both_zeros_as_one_key() {
        assert_eq!(TotalF64(-0.0), TotalF64(0.0));
        assert!(TotalF64(-1.0) < TotalF64(-0.0));
        assert!(TotalF32(f32::MIN) < TotalF32(f32::MIN_POSITIVE));
    }
}
