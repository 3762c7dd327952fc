// SPDX-License-Identifier: Apache-2.0
//! Tensors: lazy operations that are fused into few kernels.

use std::fmt;
use std::os::raw::c_int;
use std::rc::Rc;

use weft_sys as sys;

use crate::context::RawContext;
use crate::{Context, Element, Error, ErrorKind, Result};

/// A tensor on a [`Context`]. Operations return at once; elements are computed when they are read.
/// Clones share their elements.
///
/// ```
/// # fn main() -> weft::Result<()> {
/// use weft::{Context, ContextOptions, Tensor};
/// let context = Context::open(&ContextOptions { adapter: Some("cpu".into()), ..Default::default() })?;
/// let a = Tensor::new(&context, &[1.0f32, 2.0, 3.0, 4.0], &[2, 2])?;
/// let b = a.matmul(&a)?.add(&Tensor::scalar(&context, 0.5)?)?.relu()?;
/// assert_eq!(b.to_vec::<f32>()?, [7.5, 10.5, 15.5, 22.5]);
/// assert_eq!(b.sum(Some(&[1]), false)?.shape(), [2]);
/// # Ok(())
/// # }
/// ```
pub struct Tensor {
    raw: *mut sys::weft_tensor,
    context: Rc<RawContext>,
}

impl Drop for Tensor {
    fn drop(&mut self) {
        if self.context.process.is_current() {
            unsafe { sys::weft_tensor_release(self.raw) }
        }
    }
}

impl Clone for Tensor {
    fn clone(&self) -> Tensor {
        if self.context.process.is_current() {
            unsafe { sys::weft_tensor_retain(self.raw) };
        }
        Tensor { raw: self.raw, context: self.context.clone() }
    }
}

impl fmt::Debug for Tensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Tensor({} {:?})", self.dtype(), self.shape())
    }
}

fn axes(list: Option<&[i32]>, keep: bool) -> Result<sys::weft_axes> {
    let mut out: sys::weft_axes = sys::zeroed();
    out.keep = keep;
    if let Some(list) = list {
        if list.len() > 8 {
            return Err(Error::new(ErrorKind::Shape, "a tensor has at most 8 axes"));
        }
        out.count = list.len() as u32;
        out.none = list.is_empty();
        out.axes[..list.len()].copy_from_slice(list);
    }
    Ok(out)
}

macro_rules! unary {
    ($($name:ident $raw:ident $doc:literal;)*) => {
        $(
            #[doc = $doc]
            pub fn $name(&self) -> Result<Tensor> {
                self.check()?;
                self.give(unsafe { sys::$raw(self.raw) })
            }
        )*
    };
}

macro_rules! binary {
    ($($name:ident $raw:ident $doc:literal;)*) => {
        $(
            #[doc = $doc]
            pub fn $name(&self, other: &Tensor) -> Result<Tensor> {
                self.check_with(other)?;
                self.give(unsafe { sys::$raw(self.raw, other.raw) })
            }
        )*
    };
}

macro_rules! reduction {
    ($($name:ident $raw:ident $doc:literal;)*) => {
        $(
            #[doc = $doc]
            #[doc = " `None`: over all axes; `keep`: reduced axes stay with size 1."]
            pub fn $name(&self, over: Option<&[i32]>, keep: bool) -> Result<Tensor> {
                self.check()?;
                let over = axes(over, keep)?;
                self.give(unsafe { sys::$raw(self.raw, &over) })
            }
        )*
    };
}

impl Tensor {
    fn wrap(context: &Rc<RawContext>, raw: *mut sys::weft_tensor) -> Result<Tensor> {
        Ok(Tensor { raw: context.check(raw)?, context: context.clone() })
    }

    fn give(&self, raw: *mut sys::weft_tensor) -> Result<Tensor> {
        Tensor::wrap(&self.context, raw)
    }

    fn check(&self) -> Result<()> {
        self.context.process.check()
    }

    fn check_with(&self, other: &Tensor) -> Result<()> {
        self.check()?;
        if !Rc::ptr_eq(&self.context, &other.context) {
            return Err(Error::invalid("the tensors belong to different contexts"));
        }
        Ok(())
    }

    // ---- creation ----

    /// A tensor of these elements, the last axis fastest.
    pub fn new<T: Element>(context: &Context, data: &[T], shape: &[u64]) -> Result<Tensor> {
        let ctx = context.raw()?;
        let count = shape.iter().try_fold(1u64, |n, size| n.checked_mul(*size));
        if shape.len() > 8 || count != Some(data.len() as u64) {
            return Err(Error::new(
                ErrorKind::Shape,
                format!("{} elements do not have the shape {:?}", data.len(), shape),
            ));
        }
        let mut desc: sys::weft_tensor_desc = sys::zeroed();
        desc.dtype = T::DTYPE;
        desc.rank = shape.len() as u32;
        desc.shape[..shape.len()].copy_from_slice(shape);
        desc.data = data.as_ptr() as *const _;
        desc.data_size = std::mem::size_of_val(data) as u64;
        // Safety: the elements are copied.
        Tensor::wrap(&context.0, unsafe { sys::weft_tensor_create(ctx, &desc) })
    }

    /// A number of rank 0 that takes the type of what it is combined with.
    pub fn scalar(context: &Context, value: f64) -> Result<Tensor> {
        let ctx = context.raw()?;
        Tensor::wrap(&context.0, unsafe { sys::weft_tensor_scalar(ctx, value) })
    }

    /// A tensor of one value.
    pub fn full<T: Element>(context: &Context, shape: &[u64], value: f64) -> Result<Tensor> {
        let ctx = context.raw()?;
        Tensor::wrap(&context.0, unsafe {
            sys::weft_tensor_full(ctx, T::DTYPE, shape.len() as u32, shape.as_ptr(), value)
        })
    }

    /// start, start + step, ... below stop.
    pub fn arange<T: Element>(
        context: &Context,
        start: f64,
        stop: f64,
        step: f64,
    ) -> Result<Tensor> {
        let ctx = context.raw()?;
        Tensor::wrap(&context.0, unsafe {
            sys::weft_tensor_arange(ctx, T::DTYPE, start, stop, step)
        })
    }

    // ---- queries ----

    /// "f32", "i32", ...
    pub fn dtype(&self) -> String {
        if self.check().is_err() {
            return String::new();
        }
        unsafe { crate::error::text(sys::weft_dtype_name(sys::weft_tensor_dtype(self.raw))) }
    }

    /// Sizes of the axes.
    pub fn shape(&self) -> Vec<u64> {
        if self.check().is_err() {
            return Vec::new();
        }
        // Safety: the shape has as many numbers as the rank.
        unsafe {
            let rank = sys::weft_tensor_rank(self.raw) as usize;
            std::slice::from_raw_parts(sys::weft_tensor_shape(self.raw), rank).to_vec()
        }
    }

    /// Computes it, and copies its elements out.
    pub fn read<T: Element>(&self, out: &mut [T]) -> Result<()> {
        self.check()?;
        let is = unsafe { sys::weft_tensor_dtype(self.raw) };
        if is != T::DTYPE {
            return Err(Error::new(
                ErrorKind::Type,
                format!("the tensor has elements of {}", self.dtype()),
            ));
        }
        let bytes = std::mem::size_of_val(out) as u64;
        self.context
            .check_ok(unsafe { sys::weft_tensor_read(out.as_mut_ptr() as *mut _, bytes, self.raw) })
    }

    /// Computes it: its elements.
    pub fn to_vec<T: Element>(&self) -> Result<Vec<T>> {
        self.check()?;
        let mut out = vec![T::default(); unsafe { sys::weft_tensor_count(self.raw) } as usize];
        self.read(&mut out)?;
        Ok(out)
    }

    /// Its only element.
    pub fn item(&self) -> Result<f64> {
        self.check()?;
        let mut out = 0.0;
        self.context.check_ok(unsafe { sys::weft_tensor_item(&mut out, self.raw) })?;
        Ok(out)
    }

    /// Replaces its elements.
    pub fn write<T: Element>(&self, data: &[T]) -> Result<()> {
        self.check()?;
        if unsafe { sys::weft_tensor_dtype(self.raw) } != T::DTYPE {
            return Err(Error::new(
                ErrorKind::Type,
                format!("the tensor has elements of {}", self.dtype()),
            ));
        }
        let bytes = std::mem::size_of_val(data) as u64;
        self.context
            .check_ok(unsafe { sys::weft_tensor_write(self.raw, data.as_ptr() as *const _, bytes) })
    }

    // ---- views ----

    /// Another shape of the same elements; `u64::MAX` for one size: what is left.
    pub fn reshape(&self, shape: &[u64]) -> Result<Tensor> {
        self.check()?;
        self.give(unsafe { sys::weft_tensor_reshape(self.raw, shape.len() as u32, shape.as_ptr()) })
    }
    /// Two axes change places; negative ones count from the end.
    pub fn transpose(&self, a: i32, b: i32) -> Result<Tensor> {
        self.check()?;
        self.give(unsafe { sys::weft_tensor_transpose(self.raw, a as c_int, b as c_int) })
    }
    /// Elements `start` to `start + length` of an axis.
    pub fn narrow(&self, axis: i32, start: u64, length: u64) -> Result<Tensor> {
        self.check()?;
        self.give(unsafe { sys::weft_tensor_narrow(self.raw, axis as c_int, start, length) })
    }
    /// One element of an axis, which is dropped.
    pub fn select(&self, axis: i32, index: i64) -> Result<Tensor> {
        self.check()?;
        self.give(unsafe { sys::weft_tensor_select(self.raw, axis as c_int, index) })
    }
    /// The same elements with another type.
    pub fn cast<T: Element>(&self) -> Result<Tensor> {
        self.check()?;
        self.give(unsafe { sys::weft_tensor_cast(self.raw, T::DTYPE) })
    }

    // ---- more operations ----

    /// Each element between `low` and `high`.
    pub fn clip(&self, low: f64, high: f64) -> Result<Tensor> {
        self.check()?;
        self.give(unsafe { sys::weft_tensor_clip(self.raw, low, high) })
    }
    /// The exact Gaussian error linear unit.
    pub fn gelu(&self) -> Result<Tensor> {
        self.check()?;
        self.give(unsafe { sys::weft_tensor_gelu(self.raw, sys::WEFT_GELU_ERF) })
    }
    /// Softmax over an axis.
    pub fn softmax(&self, axis: i32) -> Result<Tensor> {
        self.check()?;
        self.give(unsafe { sys::weft_tensor_softmax(self.raw, axis as c_int) })
    }
    /// x / sqrt(mean(x²) + epsilon) times the gain, over the last axis.
    pub fn rms_norm(&self, gain: Option<&Tensor>, epsilon: f64) -> Result<Tensor> {
        let raw = self.other(gain)?;
        self.give(unsafe { sys::weft_tensor_rms_norm(self.raw, raw, epsilon) })
    }
    /// (x - mean) / sqrt(variance + epsilon) times the gain plus the bias, over the last axis.
    pub fn layer_norm(
        &self,
        gain: Option<&Tensor>,
        bias: Option<&Tensor>,
        epsilon: f64,
    ) -> Result<Tensor> {
        let (gain, bias) = (self.other(gain)?, self.other(bias)?);
        self.give(unsafe { sys::weft_tensor_layer_norm(self.raw, gain, bias, epsilon) })
    }
    /// The first largest element of an axis: its index.
    pub fn argmax(&self, axis: i32) -> Result<Tensor> {
        self.check()?;
        self.give(unsafe { sys::weft_tensor_argmax(self.raw, axis as c_int, false) })
    }
    /// Slices of an axis by an integer tensor.
    pub fn take(&self, indices: &Tensor, axis: i32) -> Result<Tensor> {
        self.check_with(indices)?;
        self.give(unsafe { sys::weft_tensor_take(self.raw, indices.raw, axis as c_int) })
    }
    /// Elements of `a` where this is true, else of `b`.
    pub fn choose(&self, a: &Tensor, b: &Tensor) -> Result<Tensor> {
        self.check_with(a)?;
        self.check_with(b)?;
        self.give(unsafe { sys::weft_tensor_where(self.raw, a.raw, b.raw) })
    }
    /// Tensors one after the other along an axis.
    pub fn concat(tensors: &[&Tensor], axis: i32) -> Result<Tensor> {
        let first = tensors.first().ok_or_else(|| Error::invalid("concat of no tensors"))?;
        for t in tensors {
            first.check_with(t)?;
        }
        let raws: Vec<_> = tensors.iter().map(|t| t.raw).collect();
        first.give(unsafe {
            sys::weft_tensor_concat(raws.as_ptr(), raws.len() as u32, axis as c_int)
        })
    }

    fn other(&self, other: Option<&Tensor>) -> Result<*mut sys::weft_tensor> {
        self.check()?;
        match other {
            Some(t) => self.check_with(t).map(|_| t.raw),
            None => Ok(std::ptr::null_mut()),
        }
    }

    /// The product of matrices; batches broadcast.
    pub fn matmul(&self, other: &Tensor) -> Result<Tensor> {
        self.check_with(other)?;
        self.give(unsafe { sys::weft_tensor_matmul(self.raw, other.raw) })
    }

    unary! {
        neg weft_tensor_neg "-x.";
        abs weft_tensor_abs "Absolute value.";
        sign weft_tensor_sign "-1, 0 or 1.";
        exp weft_tensor_exp "E^x.";
        expm1 weft_tensor_expm1 "E^x - 1, accurate near 0.";
        log weft_tensor_log "Natural logarithm.";
        log1p weft_tensor_log1p "Log(1 + x), accurate near 0.";
        log2 weft_tensor_log2 "Base-2 logarithm.";
        sqrt weft_tensor_sqrt "Square root.";
        rsqrt weft_tensor_rsqrt "1 / sqrt(x).";
        reciprocal weft_tensor_reciprocal "1 / x.";
        square weft_tensor_square "X * x.";
        sin weft_tensor_sin "Sine of radians.";
        cos weft_tensor_cos "Cosine of radians.";
        tan weft_tensor_tan "Tangent of radians.";
        asin weft_tensor_asin "Inverse sine.";
        acos weft_tensor_acos "Inverse cosine.";
        atan weft_tensor_atan "Inverse tangent.";
        sinh weft_tensor_sinh "Hyperbolic sine.";
        cosh weft_tensor_cosh "Hyperbolic cosine.";
        tanh weft_tensor_tanh "Hyperbolic tangent.";
        asinh weft_tensor_asinh "Inverse hyperbolic sine.";
        acosh weft_tensor_acosh "Inverse hyperbolic cosine.";
        atanh weft_tensor_atanh "Inverse hyperbolic tangent.";
        erf weft_tensor_erf "Error function.";
        floor weft_tensor_floor "Largest integer not above x.";
        ceil weft_tensor_ceil "Smallest integer not below x.";
        round weft_tensor_round "Nearest integer, halves to even.";
        trunc weft_tensor_trunc "Integer part.";
        relu weft_tensor_relu "Max(x, 0), NaN stays NaN.";
        silu weft_tensor_silu "X * sigmoid(x).";
        sigmoid weft_tensor_sigmoid "1 / (1 + e^-x).";
        softplus weft_tensor_softplus "Log(1 + e^x).";
        hard_swish weft_tensor_hard_swish "X * clip(x / 6 + 1/2, 0, 1).";
        hard_sigmoid weft_tensor_hard_sigmoid "Clip(x / 6 + 1/2, 0, 1).";
        mish weft_tensor_mish "X * tanh(softplus(x)).";
        softsign weft_tensor_softsign "X / (1 + |x|).";
        bit_not weft_tensor_bit_not "All bits inverted.";
        logical_not weft_tensor_logical_not "Not x.";
        is_nan weft_tensor_is_nan "X is NaN.";
        is_inf weft_tensor_is_inf "X is an infinity.";
        is_finite weft_tensor_is_finite "X is neither NaN nor an infinity.";
    }

    binary! {
        add weft_tensor_add "A + b.";
        sub weft_tensor_sub "A - b.";
        mul weft_tensor_mul "A * b.";
        div weft_tensor_div "A / b; integers give f32.";
        floor_div weft_tensor_floor_div "Floor(a / b).";
        remainder weft_tensor_remainder "A - floor(a / b) * b, with the sign of b.";
        fmod weft_tensor_fmod "A - trunc(a / b) * b, with the sign of a.";
        pow weft_tensor_pow "A^b; negative a with integral b is defined.";
        maximum weft_tensor_maximum "The larger; NaN if either is NaN.";
        minimum weft_tensor_minimum "The smaller; NaN if either is NaN.";
        atan2 weft_tensor_atan2 "Angle of the point (b, a).";
        hypot weft_tensor_hypot "Sqrt(a*a + b*b) without overflow.";
        copysign weft_tensor_copysign "Magnitude of a with the sign of b.";
        bit_and weft_tensor_bit_and "Bitwise and.";
        bit_or weft_tensor_bit_or "Bitwise or.";
        bit_xor weft_tensor_bit_xor "Bitwise exclusive or.";
        shl weft_tensor_shl "Shift left; 0 for counts of 32 or more.";
        shr weft_tensor_shr "Shift right, arithmetic for i32; counts above 31 act as 31.";
        equal weft_tensor_equal "A == b.";
        not_equal weft_tensor_not_equal "A != b.";
        less weft_tensor_less "A < b.";
        less_equal weft_tensor_less_equal "A <= b.";
        greater weft_tensor_greater "A > b.";
        greater_equal weft_tensor_greater_equal "A >= b.";
        logical_and weft_tensor_logical_and "A and b.";
        logical_or weft_tensor_logical_or "A or b.";
        logical_xor weft_tensor_logical_xor "A exclusive-or b.";
    }

    reduction! {
        sum weft_tensor_sum "Sum; 0 of nothing.";
        prod weft_tensor_prod "Product; 1 of nothing.";
        mean weft_tensor_mean "Mean; NaN of nothing.";
        max weft_tensor_max "Largest; of nothing an error; NaN wins.";
        min weft_tensor_min "Smallest; of nothing an error; NaN wins.";
        any weft_tensor_any "Whether one is true.";
        all weft_tensor_all "Whether all are true.";
        logsumexp weft_tensor_logsumexp "Log(sum(e^x)) without overflow.";
    }
}
