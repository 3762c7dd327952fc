// SPDX-License-Identifier: Apache-2.0
//! Pools of devices, their users, and data that stays on devices.

use std::ffi::CString;
use std::os::raw::c_char;
use std::sync::Arc;
use std::time::Duration;

use weft_sys as sys;

use crate::error::{c_pointer, c_text, text};
use crate::process::Process;
use crate::{Element, Error, ErrorKind, Result};

/// How to find devices; [`PoolOptions::open`] makes the pool.
#[derive(Clone, Debug, Default)]
pub struct PoolOptions {
    libraries: Vec<String>,
    no_own: bool,
    adapters: Vec<String>,
    cache_dir: Option<String>,
    no_cache: bool,
    unmeasured: bool,
    threads: u32,
    dispatch_deadline: Duration,
    time_limit: Duration,
    memory_limit: u64,
    retries: u32,
}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX - 1)
}

/// Texts for the library with a NULL at their end; NULL if there are none.
struct List {
    _texts: Vec<CString>,
    pointers: Vec<*const c_char>,
}

impl List {
    fn new(from: &[String]) -> Result<List> {
        let texts = from.iter().map(|t| c_text(t)).collect::<Result<Vec<_>>>()?;
        let mut pointers: Vec<_> = texts.iter().map(|t| t.as_ptr()).collect();
        pointers.push(std::ptr::null());
        Ok(List { _texts: texts, pointers })
    }

    fn pointer(&self) -> *const *const c_char {
        if self.pointers.len() < 2 {
            return std::ptr::null();
        }
        self.pointers.as_ptr()
    }
}

impl PoolOptions {
    /// All defaults: every device of the machine, measured once.
    pub fn new() -> PoolOptions {
        PoolOptions::default()
    }
    /// Keeps devices that this word means, besides those of other words: "cpu", "gpu", "vulkan", a
    /// part of a name.
    pub fn adapter(mut self, word: &str) -> Self {
        self.adapters.push(word.into());
        self
    }
    /// Another library with webgpu.h.
    pub fn library(mut self, path: &str) -> Self {
        self.libraries.push(path.into());
        self
    }
    /// Does without Weft's own devices.
    pub fn no_own(mut self) -> Self {
        self.no_own = true;
        self
    }
    /// Does not measure devices: what is cached, or rough guesses, decide.
    pub fn unmeasured(mut self) -> Self {
        self.unmeasured = true;
        self
    }
    /// Where profiles and kernels are kept.
    pub fn cache_dir(mut self, path: &str) -> Self {
        self.cache_dir = Some(path.into());
        self
    }
    /// Keeps neither profiles nor compiled kernels on disk.
    pub fn no_cache(mut self) -> Self {
        self.no_cache = true;
        self
    }
    /// Threads of the CPU device.
    pub fn threads(mut self, threads: u32) -> Self {
        self.threads = threads;
        self
    }
    /// The time that a dispatch may take before its device is lost.
    pub fn dispatch_deadline(mut self, time: Duration) -> Self {
        self.dispatch_deadline = time;
        self
    }
    /// The time that an execution may run.
    pub fn time_limit(mut self, time: Duration) -> Self {
        self.time_limit = time;
        self
    }
    /// Bytes on all devices together.
    pub fn memory_limit(mut self, bytes: u64) -> Self {
        self.memory_limit = bytes;
        self
    }
    /// Runs after the loss of a device.
    pub fn retries(mut self, retries: u32) -> Self {
        self.retries = retries;
        self
    }

    /// Finds the devices. A pool without one exists: executions on it fail.
    pub fn open(&self) -> Result<Pool> {
        let libraries = List::new(&self.libraries)?;
        let adapters = List::new(&self.adapters)?;
        let cache_dir = self.cache_dir.as_deref().map(c_text).transpose()?;
        let mut desc: sys::weft_pool_desc = sys::zeroed();
        desc.libraries = libraries.pointer();
        desc.adapters = adapters.pointer();
        desc.no_own = self.no_own;
        desc.cache_dir = c_pointer(&cache_dir);
        desc.no_cache = self.no_cache;
        desc.benchmark_timeout = if self.unmeasured { sys::WEFT_OFF } else { 0 };
        desc.threads = self.threads;
        desc.dispatch_deadline = nanoseconds(self.dispatch_deadline);
        desc.time_limit = nanoseconds(self.time_limit);
        desc.memory_limit = self.memory_limit;
        desc.retries = self.retries;
        // Safety: the texts live until the call is over; the library copies them.
        let raw = unsafe { sys::weft_pool_create(&desc) };
        if raw.is_null() {
            return Err(Error::new(ErrorKind::Memory, "no memory for a pool"));
        }
        Ok(Pool(Arc::new(RawPool { raw, process: Process::current() })))
    }
}

struct RawPool {
    raw: *mut sys::weft_pool,
    process: Process,
}

// Safety: everything of weft/pool.h may be used from any thread.
unsafe impl Send for RawPool {}
unsafe impl Sync for RawPool {}

impl Drop for RawPool {
    fn drop(&mut self) {
        if self.process.is_current() {
            unsafe { sys::weft_pool_release(self.raw) }
        }
    }
}

/// The devices of the machine, behind one call. Clones are the same pool.
#[derive(Clone)]
pub struct Pool(Arc<RawPool>);

/// A device of a pool.
#[derive(Clone, Debug)]
pub struct Device {
    pub index: u32,
    /// The same on every start.
    pub id: String,
    pub name: String,
    pub vendor: String,
    pub driver: String,
    /// "cpu", "vulkan", ...
    pub backend: String,
    pub library: String,
    pub hardware_gpu: bool,
    pub f16: bool,
    pub f64: bool,
    /// In bytes; 0 if unknown.
    pub memory: u64,
    /// Float operations a second, if it was measured.
    pub f32_rate: f64,
    /// Bytes a second.
    pub bandwidth: f64,
    pub losses: u32,
}

impl Pool {
    /// A pool with all defaults.
    pub fn new() -> Result<Pool> {
        PoolOptions::new().open()
    }

    /// The devices that were found.
    pub fn devices(&self) -> Result<Vec<Device>> {
        self.0.process.check()?;
        let mut devices = Vec::new();
        let mut d: sys::weft_pool_device = sys::zeroed();
        // Safety: texts of devices live as long as the pool, and are copied.
        unsafe {
            while sys::weft_pool_device_get(&mut d, self.0.raw, devices.len() as u32) {
                devices.push(Device {
                    index: d.index,
                    id: text(d.id),
                    name: text(d.name),
                    vendor: text(d.vendor),
                    driver: text(d.driver),
                    backend: text(d.backend),
                    library: text(d.library),
                    hardware_gpu: d.hardware_gpu,
                    f16: d.f16,
                    f64: d.f64_,
                    memory: d.memory,
                    f32_rate: d.profile.f32_rate,
                    bandwidth: d.profile.bandwidth,
                    losses: d.losses,
                });
            }
        }
        Ok(devices)
    }

    /// What went wrong with libraries that were asked for devices: path and sentence of each.
    pub fn problems(&self) -> Result<Vec<(String, String)>> {
        self.0.process.check()?;
        let mut problems = Vec::new();
        let mut s: sys::weft_pool_source = sys::zeroed();
        unsafe {
            let mut index = 0;
            while sys::weft_pool_source_get(&mut s, self.0.raw, index) {
                index += 1;
                if !s.error.is_null() {
                    problems.push((text(s.library), text(s.error)));
                }
            }
        }
        Ok(problems)
    }

    /// A user of the pool without quotas.
    pub fn context(&self) -> Result<PoolContext> {
        self.context_with(&Quotas::default())
    }

    /// A user of the pool.
    pub fn context_with(&self, quotas: &Quotas) -> Result<PoolContext> {
        self.0.process.check()?;
        let label = quotas.label.as_deref().map(c_text).transpose()?;
        let device = quotas.device.as_deref().map(c_text).transpose()?;
        let mut desc: sys::weft_pool_context_desc = sys::zeroed();
        desc.label = c_pointer(&label);
        desc.memory_quota = quotas.memory;
        desc.execution_quota = quotas.executions;
        desc.time_quota = nanoseconds(quotas.time);
        desc.weight = quotas.weight;
        desc.device = c_pointer(&device);
        if device.is_some() {
            desc.policy = sys::WEFT_POLICY_DEVICE;
        }
        let raw = unsafe { sys::weft_pool_context_create(self.0.raw, &desc) };
        if raw.is_null() {
            return Err(Error::invalid("a context: its weight is at most 1,000"));
        }
        Ok(PoolContext(Arc::new(RawContext { raw, process: Process::current(), owned: true })))
    }
}

/// What a [`PoolContext`] may use; zeros mean no limit.
#[derive(Clone, Debug, Default)]
pub struct Quotas {
    /// For messages.
    pub label: Option<String>,
    /// Bytes on all devices.
    pub memory: u64,
    /// Executions that wait or run at a time.
    pub executions: u32,
    /// Time of devices in total.
    pub time: Duration,
    /// Of its share of a busy device; 0 is 1.
    pub weight: u32,
    /// The device that it uses, no other.
    pub device: Option<String>,
}

struct RawContext {
    raw: *mut sys::weft_pool_context,
    process: Process,
    owned: bool,
}

// Safety: as for RawPool.
unsafe impl Send for RawContext {}
unsafe impl Sync for RawContext {}

impl Drop for RawContext {
    fn drop(&mut self) {
        if self.owned && self.process.is_current() {
            unsafe { sys::weft_pool_context_release(self.raw) }
        }
    }
}

/// One user of a pool. Clones are the same user; the last one that is dropped cancels what is
/// queued.
#[derive(Clone)]
pub struct PoolContext(Arc<RawContext>);

/// What a context has used.
#[derive(Clone, Copy, Debug, Default)]
pub struct Usage {
    pub memory: u64,
    pub memory_peak: u64,
    pub device_time: Duration,
    pub executions: u64,
    pub errors: u64,
    pub waiting: u32,
    pub running: u32,
}

impl PoolContext {
    /// A context that the whole process shares; `$WEFT_ADAPTER` and `$WEFT_WEBGPU` choose its
    /// devices.
    pub fn shared() -> Result<PoolContext> {
        let raw = unsafe { sys::weft_pool_shared() };
        if raw.is_null() {
            return Err(Error::new(
                ErrorKind::Unsupported,
                "there is no shared pool: no memory, or its process was left by fork()",
            ));
        }
        Ok(PoolContext(Arc::new(RawContext { raw, process: Process::current(), owned: false })))
    }

    pub(crate) fn raw(&self) -> Result<*mut sys::weft_pool_context> {
        self.0.process.check()?;
        Ok(self.0.raw)
    }

    /// What it has used so far.
    pub fn usage(&self) -> Result<Usage> {
        let mut u: sys::weft_pool_usage = sys::zeroed();
        unsafe { sys::weft_pool_context_usage(&mut u, self.raw()?) };
        Ok(Usage {
            memory: u.memory,
            memory_peak: u.memory_peak,
            device_time: Duration::from_nanos(u.device_ns),
            executions: u.executions,
            errors: u.errors,
            waiting: u.waiting,
            running: u.running,
        })
    }

    /// Data that stays on devices between executions.
    pub fn data<T: Element>(&self, elements: &[T]) -> Result<Data> {
        let mut desc: sys::weft_pool_data_desc = sys::zeroed();
        desc.type_ = T::SCALAR.number();
        desc.data = elements.as_ptr() as *const _;
        desc.size = std::mem::size_of_val(elements) as u64;
        let ctx = self.raw()?;
        // Safety: the library copies the elements.
        let raw = unsafe {
            sys::weft_pool_context_error_clear(ctx);
            sys::weft_pool_data_create(ctx, &desc)
        };
        if raw.is_null() {
            return Err(self.take_error(ctx));
        }
        Ok(Data { raw, process: Process::current() })
    }

    fn take_error(&self, ctx: *mut sys::weft_pool_context) -> Error {
        let mut error: sys::weft_pool_error = sys::zeroed();
        unsafe {
            sys::weft_pool_context_error(&mut error, ctx);
            sys::weft_pool_context_error_clear(ctx);
        }
        Error::from_pool(&error)
    }
}

/// Data that stays on devices, of one [`PoolContext`].
pub struct Data {
    pub(crate) raw: *mut sys::weft_pool_data,
    process: Process,
}

// Safety: as for RawPool.
unsafe impl Send for Data {}
unsafe impl Sync for Data {}

impl Drop for Data {
    fn drop(&mut self) {
        if self.process.is_current() {
            unsafe { sys::weft_pool_data_release(self.raw) }
        }
    }
}

impl Data {
    /// In bytes.
    pub fn size(&self) -> u64 {
        unsafe { sys::weft_pool_data_size(self.raw) }
    }

    /// Copies elements out, from the index `first`, after the executions that were started before.
    pub fn read<T: Element>(&self, out: &mut [T], first: usize) -> Result<()> {
        self.process.check()?;
        let (offset, size) = self.range(out, first)?;
        let ok =
            unsafe { sys::weft_pool_data_read(out.as_mut_ptr() as *mut _, self.raw, offset, size) };
        ok.then_some(())
            .ok_or_else(|| Error::new(ErrorKind::DeviceLost, "the data was lost with its device"))
    }

    /// Replaces elements from the index `first` on.
    pub fn write<T: Element>(&self, elements: &[T], first: usize) -> Result<()> {
        self.process.check()?;
        let (offset, size) = self.range(elements, first)?;
        let ok = unsafe {
            sys::weft_pool_data_write(self.raw, offset, elements.as_ptr() as *const _, size)
        };
        ok.then_some(())
            .ok_or_else(|| Error::new(ErrorKind::DeviceLost, "the data was lost with its device"))
    }

    fn range<T: Element>(&self, part: &[T], first: usize) -> Result<(u64, u64)> {
        let one = std::mem::size_of::<T>();
        let offset = first.checked_mul(one).map(|o| o as u64);
        let size = std::mem::size_of_val(part) as u64;
        match offset {
            Some(o) if o.checked_add(size).map_or(false, |end| end <= self.size()) => Ok((o, size)),
            _ => Err(Error::new(
                ErrorKind::Shape,
                format!(
                    "{} elements from {} do not fit into {} bytes",
                    part.len(),
                    first,
                    self.size()
                ),
            )),
        }
    }
}
