// SPDX-License-Identifier: Apache-2.0
//! `weft/tensor.h`: tensors.

#[allow(unused_imports)]
use crate::*;
#[allow(unused_imports)]
use std::os::raw::*;

opaque! { weft_buffer, weft_tensor }

pub type weft_dtype = c_uint;
pub const WEFT_DTYPE_NONE: weft_dtype = 0;
pub const WEFT_F32: weft_dtype = 1;
pub const WEFT_F16: weft_dtype = 2;
pub const WEFT_BF16: weft_dtype = 3;
pub const WEFT_F64: weft_dtype = 4;
pub const WEFT_I32: weft_dtype = 5;
pub const WEFT_U32: weft_dtype = 6;
pub const WEFT_I8: weft_dtype = 7;
pub const WEFT_U8: weft_dtype = 8;
pub const WEFT_I64: weft_dtype = 9;
pub const WEFT_BOOL: weft_dtype = 10;
pub const WEFT_Q4_0: weft_dtype = 11;
pub const WEFT_Q8_0: weft_dtype = 12;
pub const WEFT_I4: weft_dtype = 13;
pub const WEFT_U4: weft_dtype = 14;
pub const WEFT_DTYPE_COUNT: weft_dtype = 15;

pub type weft_gelu = c_uint;
pub const WEFT_GELU_ERF: weft_gelu = 0;
pub const WEFT_GELU_TANH: weft_gelu = 1;

pub type weft_activation = c_uint;
pub const WEFT_ACTIVATION_NONE: weft_activation = 0;
pub const WEFT_ACTIVATION_RELU: weft_activation = 1;
pub const WEFT_ACTIVATION_GELU: weft_activation = 2;
pub const WEFT_ACTIVATION_GELU_TANH: weft_activation = 3;
pub const WEFT_ACTIVATION_SILU: weft_activation = 4;
pub const WEFT_ACTIVATION_SIGMOID: weft_activation = 5;
pub const WEFT_ACTIVATION_TANH: weft_activation = 6;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct weft_tensor_desc {
    pub dtype: weft_dtype,
    pub rank: u32,
    pub shape: [u64; 8usize],
    pub data: *const c_void,
    pub data_size: u64,
    pub borrow: bool,
    pub borrow_end: Option<unsafe extern "C" fn(user: *mut c_void)>,
    pub borrow_user: *mut c_void,
    pub buffer: *mut weft_buffer,
    pub buffer_offset: u64,
    pub label: *const c_char,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct weft_axes {
    pub count: u32,
    pub axes: [c_int; 8usize],
    pub keep: bool,
    pub none: bool,
}

extern "C" {
    pub fn weft_dtype_name(dtype: weft_dtype) -> *const c_char;
    pub fn weft_dtype_bytes(dtype: weft_dtype, count: u64) -> u64;
    pub fn weft_tensor_create(
        ctx: *mut weft_context,
        desc: *const weft_tensor_desc,
    ) -> *mut weft_tensor;
    pub fn weft_tensor_retain(t: *mut weft_tensor) -> *mut weft_tensor;
    pub fn weft_tensor_release(t: *mut weft_tensor);
    pub fn weft_tensor_scalar(ctx: *mut weft_context, value: f64) -> *mut weft_tensor;
    pub fn weft_tensor_full(
        ctx: *mut weft_context,
        dtype: weft_dtype,
        rank: u32,
        shape: *const u64,
        value: f64,
    ) -> *mut weft_tensor;
    pub fn weft_tensor_arange(
        ctx: *mut weft_context,
        dtype: weft_dtype,
        start: f64,
        stop: f64,
        step: f64,
    ) -> *mut weft_tensor;
    pub fn weft_tensor_eye(
        ctx: *mut weft_context,
        dtype: weft_dtype,
        rows: u64,
        columns: u64,
        diagonal: i64,
    ) -> *mut weft_tensor;
    pub fn weft_tensor_dtype(t: *const weft_tensor) -> weft_dtype;
    pub fn weft_tensor_rank(t: *const weft_tensor) -> u32;
    pub fn weft_tensor_shape(t: *const weft_tensor) -> *const u64;
    pub fn weft_tensor_count(t: *const weft_tensor) -> u64;
    pub fn weft_tensor_bytes(t: *const weft_tensor) -> u64;
    pub fn weft_tensor_eval(tensors: *const *mut weft_tensor, count: u32) -> bool;
    pub fn weft_tensor_read(out: *mut c_void, bytes: u64, t: *mut weft_tensor) -> bool;
    pub fn weft_tensor_item(out: *mut f64, t: *mut weft_tensor) -> bool;
    pub fn weft_tensor_write(t: *mut weft_tensor, data: *const c_void, bytes: u64) -> bool;
    pub fn weft_tensor_reshape(
        t: *mut weft_tensor,
        rank: u32,
        shape: *const u64,
    ) -> *mut weft_tensor;
    pub fn weft_tensor_permute(t: *mut weft_tensor, axes: *const c_int) -> *mut weft_tensor;
    pub fn weft_tensor_transpose(
        t: *mut weft_tensor,
        axis_a: c_int,
        axis_b: c_int,
    ) -> *mut weft_tensor;
    pub fn weft_tensor_narrow(
        t: *mut weft_tensor,
        axis: c_int,
        start: u64,
        length: u64,
    ) -> *mut weft_tensor;
    pub fn weft_tensor_select(t: *mut weft_tensor, axis: c_int, index: i64) -> *mut weft_tensor;
    pub fn weft_tensor_unsqueeze(t: *mut weft_tensor, axis: c_int) -> *mut weft_tensor;
    pub fn weft_tensor_squeeze(t: *mut weft_tensor, axis: c_int) -> *mut weft_tensor;
    pub fn weft_tensor_expand(
        t: *mut weft_tensor,
        rank: u32,
        shape: *const u64,
    ) -> *mut weft_tensor;
    pub fn weft_tensor_gelu(x: *mut weft_tensor, form: weft_gelu) -> *mut weft_tensor;
    pub fn weft_tensor_clip(x: *mut weft_tensor, low: f64, high: f64) -> *mut weft_tensor;
    pub fn weft_tensor_where(
        condition: *mut weft_tensor,
        a: *mut weft_tensor,
        b: *mut weft_tensor,
    ) -> *mut weft_tensor;
    pub fn weft_tensor_cast(x: *mut weft_tensor, dtype: weft_dtype) -> *mut weft_tensor;
    pub fn weft_tensor_add_scalar(x: *mut weft_tensor, value: f64) -> *mut weft_tensor;
    pub fn weft_tensor_mul_scalar(x: *mut weft_tensor, value: f64) -> *mut weft_tensor;
    pub fn weft_tensor_concat(
        tensors: *const *mut weft_tensor,
        count: u32,
        axis: c_int,
    ) -> *mut weft_tensor;
    pub fn weft_tensor_stack(
        tensors: *const *mut weft_tensor,
        count: u32,
        axis: c_int,
    ) -> *mut weft_tensor;
    pub fn weft_tensor_argmax(x: *mut weft_tensor, axis: c_int, keep: bool) -> *mut weft_tensor;
    pub fn weft_tensor_argmin(x: *mut weft_tensor, axis: c_int, keep: bool) -> *mut weft_tensor;
    pub fn weft_tensor_matmul(a: *mut weft_tensor, b: *mut weft_tensor) -> *mut weft_tensor;
    pub fn weft_tensor_linear(
        x: *mut weft_tensor,
        weight: *mut weft_tensor,
        bias: *mut weft_tensor,
        activation: weft_activation,
    ) -> *mut weft_tensor;
    pub fn weft_tensor_softmax(x: *mut weft_tensor, axis: c_int) -> *mut weft_tensor;
    pub fn weft_tensor_log_softmax(x: *mut weft_tensor, axis: c_int) -> *mut weft_tensor;
    pub fn weft_tensor_layer_norm(
        x: *mut weft_tensor,
        gain: *mut weft_tensor,
        bias: *mut weft_tensor,
        epsilon: f64,
    ) -> *mut weft_tensor;
    pub fn weft_tensor_rms_norm(
        x: *mut weft_tensor,
        gain: *mut weft_tensor,
        epsilon: f64,
    ) -> *mut weft_tensor;
    pub fn weft_tensor_take(
        x: *mut weft_tensor,
        indices: *mut weft_tensor,
        axis: c_int,
    ) -> *mut weft_tensor;
    pub fn weft_tensor_neg(x: *mut weft_tensor) -> *mut weft_tensor;
    pub fn weft_tensor_abs(x: *mut weft_tensor) -> *mut weft_tensor;
    pub fn weft_tensor_sign(x: *mut weft_tensor) -> *mut weft_tensor;
    pub fn weft_tensor_exp(x: *mut weft_tensor) -> *mut weft_tensor;
    pub fn weft_tensor_expm1(x: *mut weft_tensor) -> *mut weft_tensor;
    pub fn weft_tensor_log(x: *mut weft_tensor) -> *mut weft_tensor;
    pub fn weft_tensor_log1p(x: *mut weft_tensor) -> *mut weft_tensor;
    pub fn weft_tensor_log2(x: *mut weft_tensor) -> *mut weft_tensor;
    pub fn weft_tensor_sqrt(x: *mut weft_tensor) -> *mut weft_tensor;
    pub fn weft_tensor_rsqrt(x: *mut weft_tensor) -> *mut weft_tensor;
    pub fn weft_tensor_reciprocal(x: *mut weft_tensor) -> *mut weft_tensor;
    pub fn weft_tensor_square(x: *mut weft_tensor) -> *mut weft_tensor;
    pub fn weft_tensor_sin(x: *mut weft_tensor) -> *mut weft_tensor;
    pub fn weft_tensor_cos(x: *mut weft_tensor) -> *mut weft_tensor;
    pub fn weft_tensor_tan(x: *mut weft_tensor) -> *mut weft_tensor;
    pub fn weft_tensor_asin(x: *mut weft_tensor) -> *mut weft_tensor;
    pub fn weft_tensor_acos(x: *mut weft_tensor) -> *mut weft_tensor;
    pub fn weft_tensor_atan(x: *mut weft_tensor) -> *mut weft_tensor;
    pub fn weft_tensor_sinh(x: *mut weft_tensor) -> *mut weft_tensor;
    pub fn weft_tensor_cosh(x: *mut weft_tensor) -> *mut weft_tensor;
    pub fn weft_tensor_tanh(x: *mut weft_tensor) -> *mut weft_tensor;
    pub fn weft_tensor_asinh(x: *mut weft_tensor) -> *mut weft_tensor;
    pub fn weft_tensor_acosh(x: *mut weft_tensor) -> *mut weft_tensor;
    pub fn weft_tensor_atanh(x: *mut weft_tensor) -> *mut weft_tensor;
    pub fn weft_tensor_erf(x: *mut weft_tensor) -> *mut weft_tensor;
    pub fn weft_tensor_floor(x: *mut weft_tensor) -> *mut weft_tensor;
    pub fn weft_tensor_ceil(x: *mut weft_tensor) -> *mut weft_tensor;
    pub fn weft_tensor_round(x: *mut weft_tensor) -> *mut weft_tensor;
    pub fn weft_tensor_trunc(x: *mut weft_tensor) -> *mut weft_tensor;
    pub fn weft_tensor_relu(x: *mut weft_tensor) -> *mut weft_tensor;
    pub fn weft_tensor_silu(x: *mut weft_tensor) -> *mut weft_tensor;
    pub fn weft_tensor_sigmoid(x: *mut weft_tensor) -> *mut weft_tensor;
    pub fn weft_tensor_softplus(x: *mut weft_tensor) -> *mut weft_tensor;
    pub fn weft_tensor_hard_swish(x: *mut weft_tensor) -> *mut weft_tensor;
    pub fn weft_tensor_hard_sigmoid(x: *mut weft_tensor) -> *mut weft_tensor;
    pub fn weft_tensor_mish(x: *mut weft_tensor) -> *mut weft_tensor;
    pub fn weft_tensor_softsign(x: *mut weft_tensor) -> *mut weft_tensor;
    pub fn weft_tensor_bit_not(x: *mut weft_tensor) -> *mut weft_tensor;
    pub fn weft_tensor_logical_not(x: *mut weft_tensor) -> *mut weft_tensor;
    pub fn weft_tensor_is_nan(x: *mut weft_tensor) -> *mut weft_tensor;
    pub fn weft_tensor_is_inf(x: *mut weft_tensor) -> *mut weft_tensor;
    pub fn weft_tensor_is_finite(x: *mut weft_tensor) -> *mut weft_tensor;
    pub fn weft_tensor_add(a: *mut weft_tensor, b: *mut weft_tensor) -> *mut weft_tensor;
    pub fn weft_tensor_sub(a: *mut weft_tensor, b: *mut weft_tensor) -> *mut weft_tensor;
    pub fn weft_tensor_mul(a: *mut weft_tensor, b: *mut weft_tensor) -> *mut weft_tensor;
    pub fn weft_tensor_div(a: *mut weft_tensor, b: *mut weft_tensor) -> *mut weft_tensor;
    pub fn weft_tensor_floor_div(a: *mut weft_tensor, b: *mut weft_tensor) -> *mut weft_tensor;
    pub fn weft_tensor_remainder(a: *mut weft_tensor, b: *mut weft_tensor) -> *mut weft_tensor;
    pub fn weft_tensor_fmod(a: *mut weft_tensor, b: *mut weft_tensor) -> *mut weft_tensor;
    pub fn weft_tensor_pow(a: *mut weft_tensor, b: *mut weft_tensor) -> *mut weft_tensor;
    pub fn weft_tensor_maximum(a: *mut weft_tensor, b: *mut weft_tensor) -> *mut weft_tensor;
    pub fn weft_tensor_minimum(a: *mut weft_tensor, b: *mut weft_tensor) -> *mut weft_tensor;
    pub fn weft_tensor_atan2(a: *mut weft_tensor, b: *mut weft_tensor) -> *mut weft_tensor;
    pub fn weft_tensor_hypot(a: *mut weft_tensor, b: *mut weft_tensor) -> *mut weft_tensor;
    pub fn weft_tensor_copysign(a: *mut weft_tensor, b: *mut weft_tensor) -> *mut weft_tensor;
    pub fn weft_tensor_bit_and(a: *mut weft_tensor, b: *mut weft_tensor) -> *mut weft_tensor;
    pub fn weft_tensor_bit_or(a: *mut weft_tensor, b: *mut weft_tensor) -> *mut weft_tensor;
    pub fn weft_tensor_bit_xor(a: *mut weft_tensor, b: *mut weft_tensor) -> *mut weft_tensor;
    pub fn weft_tensor_shl(a: *mut weft_tensor, b: *mut weft_tensor) -> *mut weft_tensor;
    pub fn weft_tensor_shr(a: *mut weft_tensor, b: *mut weft_tensor) -> *mut weft_tensor;
    pub fn weft_tensor_equal(a: *mut weft_tensor, b: *mut weft_tensor) -> *mut weft_tensor;
    pub fn weft_tensor_not_equal(a: *mut weft_tensor, b: *mut weft_tensor) -> *mut weft_tensor;
    pub fn weft_tensor_less(a: *mut weft_tensor, b: *mut weft_tensor) -> *mut weft_tensor;
    pub fn weft_tensor_less_equal(a: *mut weft_tensor, b: *mut weft_tensor) -> *mut weft_tensor;
    pub fn weft_tensor_greater(a: *mut weft_tensor, b: *mut weft_tensor) -> *mut weft_tensor;
    pub fn weft_tensor_greater_equal(a: *mut weft_tensor, b: *mut weft_tensor) -> *mut weft_tensor;
    pub fn weft_tensor_logical_and(a: *mut weft_tensor, b: *mut weft_tensor) -> *mut weft_tensor;
    pub fn weft_tensor_logical_or(a: *mut weft_tensor, b: *mut weft_tensor) -> *mut weft_tensor;
    pub fn weft_tensor_logical_xor(a: *mut weft_tensor, b: *mut weft_tensor) -> *mut weft_tensor;
    pub fn weft_tensor_sum(x: *mut weft_tensor, axes: *const weft_axes) -> *mut weft_tensor;
    pub fn weft_tensor_prod(x: *mut weft_tensor, axes: *const weft_axes) -> *mut weft_tensor;
    pub fn weft_tensor_mean(x: *mut weft_tensor, axes: *const weft_axes) -> *mut weft_tensor;
    pub fn weft_tensor_max(x: *mut weft_tensor, axes: *const weft_axes) -> *mut weft_tensor;
    pub fn weft_tensor_min(x: *mut weft_tensor, axes: *const weft_axes) -> *mut weft_tensor;
    pub fn weft_tensor_any(x: *mut weft_tensor, axes: *const weft_axes) -> *mut weft_tensor;
    pub fn weft_tensor_all(x: *mut weft_tensor, axes: *const weft_axes) -> *mut weft_tensor;
    pub fn weft_tensor_logsumexp(x: *mut weft_tensor, axes: *const weft_axes) -> *mut weft_tensor;
}
