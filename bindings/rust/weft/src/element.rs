// SPDX-License-Identifier: Apache-2.0
//! Types of elements that kernels and Rust both have.

use weft_sys as sys;

/// A type of numbers in kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scalar {
    /// No type: bytes, for structures.
    Bytes,
    I32,
    U32,
    F32,
    F16,
    F64,
}

impl Scalar {
    pub(crate) fn number(self) -> sys::weft_scalar {
        match self {
            Scalar::Bytes => 0,
            Scalar::I32 => sys::WEFT_SCALAR_I32,
            Scalar::U32 => sys::WEFT_SCALAR_U32,
            Scalar::F32 => sys::WEFT_SCALAR_F32,
            Scalar::F16 => sys::WEFT_SCALAR_F16,
            Scalar::F64 => sys::WEFT_SCALAR_F64,
        }
    }
}

/// A 16-bit float by its bits: Rust has no such type.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(transparent)]
pub struct F16(pub u16);

mod sealed {
    pub trait Sealed {}
}

/// Elements of arrays that kernels read and write: `f32`, `f64`, [`F16`], `i32`, `u32`, and `u8`
/// for structures as bytes. `f64` that is given for a variable of f32 is converted by the library.
pub trait Element: Copy + Default + Send + Sync + 'static + sealed::Sealed {
    /// The type in kernels.
    const SCALAR: Scalar;
    /// The type of tensors.
    #[doc(hidden)]
    const DTYPE: sys::weft_dtype;
}

macro_rules! element {
    ($($type:ty => $scalar:ident, $dtype:ident;)*) => {
        $(
            impl sealed::Sealed for $type {}
            impl Element for $type {
                const SCALAR: Scalar = Scalar::$scalar;
                const DTYPE: sys::weft_dtype = sys::$dtype;
            }
        )*
    };
}

element! {
    f32 => F32, WEFT_F32;
    f64 => F64, WEFT_F64;
    F16 => F16, WEFT_F16;
    i32 => I32, WEFT_I32;
    u32 => U32, WEFT_U32;
    u8 => Bytes, WEFT_U8;
}

/// The bytes of elements.
pub(crate) fn bytes_of<T: Element>(data: &[T]) -> &[u8] {
    // Safety: elements are numbers without padding.
    unsafe { std::slice::from_raw_parts(data.as_ptr() as *const u8, std::mem::size_of_val(data)) }
}
