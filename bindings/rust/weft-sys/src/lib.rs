// SPDX-License-Identifier: Apache-2.0
//! Declarations of `libweft`. The headers in `include/weft` are the manual; names, fields and
//! constants are theirs. Functions that the crate `weft` does not use are left out.

#![no_std]
#![allow(non_camel_case_types, non_snake_case)]

extern crate std;

macro_rules! opaque {
    ($($name:ident),* $(,)?) => {
        $(
            /// An object of the library, known by its address alone.
            #[repr(C)]
            pub struct $name {
                _private: [u8; 0],
            }
        )*
    };
}

mod context;
mod error;
mod model;
mod pool;
mod solve;
mod tensor;

pub use context::*;
pub use error::*;
pub use model::*;
pub use pool::*;
pub use solve::*;
pub use tensor::*;

/// `WEFT_OFF`: switches a limit off where 0 means the default.
pub const WEFT_OFF: u64 = u64::MAX;

/// A descriptor with all defaults: zero is a valid value of every struct here.
pub fn zeroed<T: Copy>() -> T {
    // Safety: the structs of the headers are numbers, bools, pointers and optional functions.
    unsafe { core::mem::zeroed() }
}
