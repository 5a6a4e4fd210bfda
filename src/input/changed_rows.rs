//! Which rows changed since the last successful step.

/// The rows that changed since the last successful step; see
/// [`World::step_changed`](crate::World::step_changed).
///
/// If statics changed, the world itself adds the bodies at these.
///
/// Made from a list of rows in any order, or from a flag for each row:
///
/// ```
/// use triphase::ChangedRows;
/// let list = [7u32, 3, 3];
/// let flags = vec![false, true, false];
/// let bits = [0b10u64]; // row 1 of up to 64 rows
/// let _: [ChangedRows; 3] = [(&list).into(), (&flags).into(), ChangedRows::from_bits(&bits)];
/// ```
#[derive(Clone, Copy, Debug)]
pub struct ChangedRows<'a>(pub(crate) Form<'a>);

/// How the rows are given.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Form<'a> {
    List(&'a [u32]),
    Flags(&'a [bool]),
    Bits(&'a [u64]),
}

impl<'a> ChangedRows<'a> {
    /// No rows.
    pub const NONE: Self = Self(Form::List(&[]));

    /// A bit for each row, from the lowest bit of the first word on. Bits after the last row are
    /// ignored.
    pub fn from_bits(words: &'a [u64]) -> Self {
        Self(Form::Bits(words))
    }
}

/// Conversions from slices, arrays and vectors of a type.
macro_rules! from_columns {
    ($($item:ty => $form:ident),*) => {$(
        impl<'a> From<&'a [$item]> for ChangedRows<'a> {
            fn from(rows: &'a [$item]) -> Self {
                Self(Form::$form(rows))
            }
        }

        impl<'a, const N: usize> From<&'a [$item; N]> for ChangedRows<'a> {
            fn from(rows: &'a [$item; N]) -> Self {
                Self(Form::$form(rows))
            }
        }

        impl<'a> From<&'a Vec<$item>> for ChangedRows<'a> {
            fn from(rows: &'a Vec<$item>) -> Self {
                Self(Form::$form(rows))
            }
        }
    )*};
}

from_columns!(u32 => List, bool => Flags);
