// SPDX-License-Identifier: Apache-2.0
//! `weft/error.h`: kinds of errors.

#[allow(unused_imports)]
use std::os::raw::*;

pub type weft_error_kind = c_uint;
pub const WEFT_ERROR_NONE: weft_error_kind = 0;
pub const WEFT_ERROR_UNSUPPORTED: weft_error_kind = 1;
pub const WEFT_ERROR_INVALID: weft_error_kind = 2;
pub const WEFT_ERROR_SHAPE: weft_error_kind = 3;
pub const WEFT_ERROR_TYPE: weft_error_kind = 4;
pub const WEFT_ERROR_NOT_FOUND: weft_error_kind = 5;
pub const WEFT_ERROR_EXISTS: weft_error_kind = 6;
pub const WEFT_ERROR_COMPILE: weft_error_kind = 7;
pub const WEFT_ERROR_FORMAT: weft_error_kind = 8;
pub const WEFT_ERROR_MEMORY: weft_error_kind = 9;
pub const WEFT_ERROR_QUOTA: weft_error_kind = 10;
pub const WEFT_ERROR_DENIED: weft_error_kind = 11;
pub const WEFT_ERROR_CANCELLED: weft_error_kind = 12;
pub const WEFT_ERROR_TIMEOUT: weft_error_kind = 13;
pub const WEFT_ERROR_DEVICE_LOST: weft_error_kind = 14;
pub const WEFT_ERROR_IO: weft_error_kind = 15;
pub const WEFT_ERROR_INTERNAL: weft_error_kind = 16;
pub const WEFT_ERROR_KIND_COUNT: weft_error_kind = 17;

extern "C" {
    pub fn weft_error_kind_name(kind: weft_error_kind) -> *const c_char;
    pub fn weft_error_kind_meaning(kind: weft_error_kind) -> *const c_char;
}
