// SPDX-License-Identifier: Apache-2.0
//! Devices with a memory budget: what tensors, fits and models are made on.

use std::rc::Rc;
use std::time::Duration;

use weft_sys as sys;

use crate::error::{c_pointer, c_text, text};
use crate::process::Process;
use crate::{Error, ErrorKind, Result};

pub(crate) struct RawContext {
    pub raw: *mut sys::weft_context,
    pub process: Process,
}

impl Drop for RawContext {
    fn drop(&mut self) {
        if self.process.is_current() {
            unsafe { sys::weft_context_release(self.raw) }
        }
    }
}

impl RawContext {
    /// What a call of the library gave, or the error of the context.
    pub fn check<T>(&self, object: *mut T) -> Result<*mut T> {
        if object.is_null() {
            return Err(unsafe { Error::take(self.raw) });
        }
        Ok(object)
    }

    pub fn check_ok(&self, ok: bool) -> Result<()> {
        if ok {
            return Ok(());
        }
        Err(unsafe { Error::take(self.raw) })
    }
}

/// A device with its queue, kernel cache and memory budget. It belongs to one thread, as does all
/// that is made on it: neither is `Send`. Clones are the same context.
#[derive(Clone)]
pub struct Context(pub(crate) Rc<RawContext>);

/// How to open a device; zeros and `None` mean the default.
#[derive(Clone, Debug, Default)]
pub struct ContextOptions {
    /// "cpu", "gpu", "vulkan", a number, a part of a name. Else `$WEFT_ADAPTER`, a hardware GPU, the
    /// CPU device.
    pub adapter: Option<String>,
    /// Path of another library with webgpu.h. Else `$WEFT_WEBGPU`, Weft's own.
    pub library: Option<String>,
    pub threads: u32,
    /// The time that a dispatch may take before the device is lost.
    pub dispatch_deadline: Duration,
    /// Bytes on the device.
    pub memory_budget: u64,
    /// Compiled kernels are not kept on disk.
    pub no_cache: bool,
    /// Indices that kernels read are validated.
    pub checked: bool,
}

/// What a context's device is.
#[derive(Clone, Debug)]
pub struct DeviceInfo {
    pub name: String,
    pub vendor: String,
    pub driver: String,
    pub backend: String,
    pub library: String,
    /// Which device was chosen, and why.
    pub reason: String,
    pub hardware_gpu: bool,
    pub f16: bool,
    pub f64: bool,
    pub memory: u64,
}

impl Context {
    /// The default device.
    pub fn new() -> Result<Context> {
        Context::open(&ContextOptions::default())
    }

    pub fn open(options: &ContextOptions) -> Result<Context> {
        let adapter = options.adapter.as_deref().map(c_text).transpose()?;
        let library = options.library.as_deref().map(c_text).transpose()?;
        let mut desc: sys::weft_context_desc = sys::zeroed();
        desc.adapter = c_pointer(&adapter);
        desc.library = c_pointer(&library);
        desc.threads = options.threads;
        desc.dispatch_deadline = u64::try_from(options.dispatch_deadline.as_nanos()).unwrap_or(0);
        desc.memory_budget = options.memory_budget;
        desc.no_cache = options.no_cache;
        desc.checked = options.checked;
        // Safety: texts are copied by the library.
        let raw = unsafe { sys::weft_context_create(&desc) };
        if raw.is_null() {
            return Err(Error::new(ErrorKind::Memory, "no memory for a context"));
        }
        let context = RawContext { raw, process: Process::current() };
        if unsafe { (*sys::weft_context_error(raw)).kind } != 0 {
            return Err(unsafe { Error::take(raw) });
        }
        Ok(Context(Rc::new(context)))
    }

    pub(crate) fn raw(&self) -> Result<*mut sys::weft_context> {
        self.0.process.check()?;
        Ok(self.0.raw)
    }

    /// What was chosen, and why.
    pub fn device(&self) -> Result<DeviceInfo> {
        let ctx = self.raw()?;
        unsafe {
            let info = sys::weft_context_device(ctx);
            if info.is_null() {
                return Err(Error::new(ErrorKind::Unsupported, "the context has no device"));
            }
            let d = &*info;
            Ok(DeviceInfo {
                name: text(d.name),
                vendor: text(d.vendor),
                driver: text(d.driver),
                backend: text(d.backend),
                library: text(d.library),
                reason: text(d.reason),
                hardware_gpu: d.hardware_gpu,
                f16: d.f16,
                f64: d.f64_,
                memory: d.memory,
            })
        }
    }

    /// Waits until the device has finished all work so far.
    pub fn wait(&self) -> Result<()> {
        let ctx = self.raw()?;
        self.0.check_ok(unsafe { sys::weft_context_wait(ctx) })
    }

    /// Bytes of device buffers in use, and kept for reuse.
    pub fn memory(&self) -> Result<(u64, u64)> {
        let mut m: sys::weft_memory = sys::zeroed();
        unsafe { sys::weft_context_memory(&mut m, self.raw()?) };
        Ok((m.live, m.pooled))
    }

    /// Frees pooled buffers until at most `keep` bytes are left.
    pub fn trim(&self, keep: u64) -> Result<()> {
        unsafe { sys::weft_context_trim(self.raw()?, keep) };
        Ok(())
    }
}
