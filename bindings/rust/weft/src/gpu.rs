// SPDX-License-Identifier: Apache-2.0
//! Matrix products and norms on slices, for inference code of one's own.

use crate::{Context, ContextOptions, Error, ErrorKind, Result, Tensor};

/// A device with the operations of a transformer on plain slices.
pub struct GpuBackend {
    context: Context,
}

impl GpuBackend {
    /// Opens the best device: a hardware GPU, else the CPU; `$WEFT_ADAPTER` chooses another.
    pub fn new() -> Result<GpuBackend> {
        Ok(GpuBackend { context: Context::new()? })
    }

    /// On the device that the options name.
    pub fn open(options: &ContextOptions) -> Result<GpuBackend> {
        Ok(GpuBackend { context: Context::open(options)? })
    }

    /// Whether [`GpuBackend::new`] would find a device.
    pub fn is_available() -> bool {
        // Safety: NULL is a descriptor with all defaults; nothing is written.
        unsafe { weft_sys::weft_context_available(std::ptr::null(), std::ptr::null_mut(), 0) }
    }

    /// Its context, for tensors.
    pub fn context(&self) -> &Context {
        &self.context
    }

    /// a[m, k] times b[k, n]: [m, n].
    pub fn matmul(&self, a: &[f32], b: &[f32], m: u32, k: u32, n: u32) -> Result<Vec<f32>> {
        let a = Tensor::new(&self.context, a, &[m.into(), k.into()])?;
        let b = Tensor::new(&self.context, b, &[k.into(), n.into()])?;
        a.matmul(&b)?.to_vec()
    }

    /// Rows of x, each as long as the weight, divided by their root mean square, times the weight.
    pub fn rmsnorm(&self, x: &[f32], weight: &[f32], epsilon: f32) -> Result<Vec<f32>> {
        let x = self.rows(x, weight.len())?;
        let weight = Tensor::new(&self.context, weight, &[weight.len() as u64])?;
        x.rms_norm(Some(&weight), epsilon.into())?.to_vec()
    }

    /// Softmax of rows of `width` elements, in place.
    pub fn softmax(&self, x: &mut [f32], width: usize) -> Result<()> {
        let rows = self.rows(x, width)?;
        rows.softmax(-1)?.reshape(&[u64::MAX])?.read(x)
    }

    fn rows(&self, x: &[f32], width: usize) -> Result<Tensor> {
        if width == 0 || x.len() % width != 0 {
            return Err(Error::new(
                ErrorKind::Shape,
                format!("{} elements are not a whole number of rows of {}", x.len(), width),
            ));
        }
        Tensor::new(&self.context, x, &[(x.len() / width) as u64, width as u64])
    }
}
