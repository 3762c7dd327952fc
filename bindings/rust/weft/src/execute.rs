// SPDX-License-Identifier: Apache-2.0
//! Executions: a kernel with named inputs and outputs.

use std::ffi::CString;
use std::time::Duration;

use weft_sys as sys;

use crate::element::bytes_of;
use crate::error::{c_pointer, c_text, text};
use crate::execution::Execution;
use crate::{Data, Element, Error, PoolContext, Result, Scalar};

enum Place<'a> {
    Bytes(*const u8, u64),
    Own(Vec<u8>),
    Resident(&'a Data),
}

struct Input<'a> {
    name: String,
    scalar: Scalar,
    shape: Vec<u64>,
    place: Place<'a>,
}

enum Target<'a> {
    /// Memory of the caller; its bytes.
    Memory(*mut u8, u64),
    /// Memory of the execution.
    Own,
    Resident(&'a Data),
}

struct Output<'a> {
    name: String,
    scalar: Scalar,
    shape: Vec<u64>,
    target: Target<'a>,
}

/// What to run: a kernel, inputs and outputs by the names of its variables, and how.
///
/// ```
/// # fn main() -> weft::Result<()> {
/// # std::env::set_var("WEFT_ADAPTER", "cpu");
/// use weft::{Execute, PoolContext};
/// let kernel = "
///     @group(0) @binding(0) var<storage, read> x : array<f32>;
///     @group(0) @binding(1) var<storage, read_write> y : array<f32>;
///     @group(0) @binding(2) var<uniform> factor : f32;
///     @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id : vec3u) {
///         if id.x < arrayLength(&x) { y[id.x] = x[id.x] * factor; }
///     }";
/// let x = [1.0f32, 2.0, 3.0];
/// let mut y = [0.0f32; 3];
/// let report = Execute::new(kernel)
///     .input("x", &x)
///     .value("factor", 10.0f32)
///     .output("y", &mut y)
///     .run(&PoolContext::shared()?)?;
/// assert_eq!(y, [10.0, 20.0, 30.0]);
/// assert_eq!(report.groups, [1, 1, 1]);
/// # Ok(())
/// # }
/// ```
pub struct Execute<'a> {
    wgsl: String,
    entry: Option<String>,
    label: Option<String>,
    device: Option<String>,
    constants: Vec<(String, f64)>,
    inputs: Vec<Input<'a>>,
    outputs: Vec<Output<'a>>,
    groups: [u32; 3],
    invocations: [u32; 3],
    priority: i32,
    deadline: u64,
    time_limit: u64,
    memory_limit: u64,
    optimize: bool,
    no_retry: bool,
}

// Safety: its pointers are slices that 'a keeps borrowed.
unsafe impl Send for Execute<'_> {}

fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX).max(1)
}

impl<'a> Execute<'a> {
    /// A kernel, with all defaults.
    pub fn new(wgsl: &str) -> Execute<'a> {
        Execute {
            wgsl: wgsl.into(),
            entry: None,
            label: None,
            device: None,
            constants: Vec::new(),
            inputs: Vec::new(),
            outputs: Vec::new(),
            groups: [0; 3],
            invocations: [0; 3],
            priority: 0,
            deadline: 0,
            time_limit: 0,
            memory_limit: 0,
            optimize: false,
            no_retry: false,
        }
    }

    /// The entry point, if there are several.
    pub fn entry(mut self, name: &str) -> Self {
        self.entry = Some(name.into());
        self
    }
    /// The value of an override.
    pub fn constant(mut self, name: &str, value: f64) -> Self {
        self.constants.push((name.into(), value));
        self
    }
    /// The elements of a variable, or of a member: "params.weights".
    pub fn input<T: Element>(self, name: &str, data: &'a [T]) -> Self {
        self.input_shaped(name, data, &[data.len() as u64])
    }
    /// The same with a shape, whose product is the number of elements.
    pub fn input_shaped<T: Element>(self, name: &str, data: &'a [T], shape: &[u64]) -> Self {
        self.input_bytes(name, T::SCALAR, shape, bytes_of(data))
    }
    /// The same by type and bytes. No shape: as many elements as the variable has.
    pub fn input_bytes(
        mut self,
        name: &str,
        scalar: Scalar,
        shape: &[u64],
        bytes: &'a [u8],
    ) -> Self {
        let place = Place::Bytes(bytes.as_ptr(), bytes.len() as u64);
        self.inputs.push(Input { name: name.into(), scalar, shape: shape.into(), place });
        self
    }
    /// A single value: `value("params.n", 4u32)`.
    pub fn value<T: Element>(mut self, name: &str, value: T) -> Self {
        let place = Place::Own(bytes_of(&[value]).to_vec());
        self.inputs.push(Input { name: name.into(), scalar: T::SCALAR, shape: vec![], place });
        self
    }
    /// Data that is on a device already.
    pub fn resident(mut self, name: &str, data: &'a Data) -> Self {
        let place = Place::Resident(data);
        self.inputs.push(Input { name: name.into(), scalar: Scalar::Bytes, shape: vec![], place });
        self
    }

    /// Where the elements of a writable variable go. For [`Execute::run`] alone.
    pub fn output<T: Element>(self, name: &str, data: &'a mut [T]) -> Self {
        let shape = [data.len() as u64];
        self.output_shaped(name, data, &shape)
    }
    /// The same with a shape.
    pub fn output_shaped<T: Element>(
        mut self,
        name: &str,
        data: &'a mut [T],
        shape: &[u64],
    ) -> Self {
        let target =
            Target::Memory(data.as_mut_ptr() as *mut u8, std::mem::size_of_val(data) as u64);
        self.outputs.push(Output {
            name: name.into(),
            scalar: T::SCALAR,
            shape: shape.into(),
            target,
        });
        self
    }
    /// An output of that many elements in memory of the execution: [`crate::Outputs`] has it.
    pub fn want<T: Element>(self, name: &str, count: usize) -> Self {
        self.want_shaped(name, T::SCALAR, &[count as u64])
    }
    /// The same by type and shape. No shape: as the variable, or the input of this name.
    pub fn want_shaped(mut self, name: &str, scalar: Scalar, shape: &[u64]) -> Self {
        self.outputs.push(Output {
            name: name.into(),
            scalar,
            shape: shape.into(),
            target: Target::Own,
        });
        self
    }
    /// An output that stays on the device; the variable starts with what the data holds.
    pub fn resident_output(mut self, name: &str, data: &'a Data) -> Self {
        let target = Target::Resident(data);
        self.outputs.push(Output {
            name: name.into(),
            scalar: Scalar::Bytes,
            shape: vec![],
            target,
        });
        self
    }

    /// Workgroups. Without them and invocations: from the kernel and its data.
    pub fn groups(mut self, x: u32, y: u32, z: u32) -> Self {
        self.groups = [x, y, z];
        self
    }
    /// Invocations, rounded up to workgroups.
    pub fn invocations(mut self, x: u32, y: u32, z: u32) -> Self {
        self.invocations = [x, y, z];
        self
    }
    /// The device that runs it, no other: its id, "#1", "cpu", "vulkan", "gpu", a part of a name.
    pub fn device(mut self, word: &str) -> Self {
        self.device = Some(word.into());
        self
    }
    /// Larger ones first.
    pub fn priority(mut self, priority: i32) -> Self {
        self.priority = priority;
        self
    }
    /// The time from now by which it must have ended.
    pub fn deadline(mut self, time: Duration) -> Self {
        self.deadline = nanoseconds(time);
        self
    }
    /// The time it may run.
    pub fn time_limit(mut self, time: Duration) -> Self {
        self.time_limit = nanoseconds(time);
        self
    }
    /// Bytes on the device.
    pub fn memory_limit(mut self, bytes: u64) -> Self {
        self.memory_limit = bytes;
        self
    }
    /// Runs an optimized version of the kernel, if there is one.
    pub fn optimize(mut self) -> Self {
        self.optimize = true;
        self
    }
    /// Reports the loss of a device instead of running again.
    pub fn no_retry(mut self) -> Self {
        self.no_retry = true;
        self
    }
    /// For messages.
    pub fn label(mut self, label: &str) -> Self {
        self.label = Some(label.into());
        self
    }

    /// Runs it and waits.
    pub fn run(self, context: &PoolContext) -> Result<Report> {
        let ctx = context.raw()?;
        if self.outputs.iter().any(|o| matches!(o.target, Target::Own)) {
            return Ok(self.start(context)?.wait()?.report().clone());
        }
        let mut report: sys::weft_execute_report = sys::zeroed();
        let desc = Desc::new(&self)?;
        // Safety: desc borrows from self, which outlives the call; outputs are borrowed mutably.
        let ok = unsafe { sys::weft_execute(ctx, &desc.raw, &mut report) };
        if ok {
            Ok(Report::new(&report))
        } else {
            Err(Error::from_pool(&report.error))
        }
    }

    /// Starts it: a future, which can also be waited for and cancelled. Inputs are copied; outputs
    /// are those of [`Execute::want`], or resident.
    pub fn start(self, context: &PoolContext) -> Result<Execution> {
        let ctx = context.raw()?;
        if let Some(o) = self.outputs.iter().find(|o| matches!(o.target, Target::Memory(..))) {
            return Err(Error::invalid(format!(
                "output '{}': an asynchronous execution has no memory of yours; use want()",
                o.name
            )));
        }
        let desc = Desc::new(&self)?;
        Execution::start(context.clone(), ctx, desc.raw)
    }
}

/// The execution as C has it, with the texts that it points to.
struct Desc {
    raw: sys::weft_execute_desc,
    _texts: Vec<CString>,
    _options: [Option<CString>; 3],
    _constants: Vec<sys::weft_constant>,
    _inputs: Vec<sys::weft_execute_input>,
    _outputs: Vec<sys::weft_execute_output>,
}

fn shape_of(name: &str, shape: &[u64]) -> Result<[u64; 8]> {
    let mut out = [0; 8];
    if shape.len() > 8 {
        return Err(Error::new(
            crate::ErrorKind::Shape,
            format!("'{}': a shape has at most 8 axes, not {}", name, shape.len()),
        ));
    }
    out[..shape.len()].copy_from_slice(shape);
    Ok(out)
}

impl Desc {
    fn new(from: &Execute<'_>) -> Result<Desc> {
        let mut texts = vec![c_text(&from.wgsl)?];
        let options = [
            from.entry.as_deref().map(c_text).transpose()?,
            from.device.as_deref().map(c_text).transpose()?,
            from.label.as_deref().map(c_text).transpose()?,
        ];
        let mut constants = Vec::with_capacity(from.constants.len());
        for (name, value) in &from.constants {
            texts.push(c_text(name)?);
            constants
                .push(sys::weft_constant { name: texts[texts.len() - 1].as_ptr(), value: *value });
        }
        let inputs = inputs_of(from, &mut texts)?;
        let outputs = outputs_of(from, &mut texts)?;
        let mut raw: sys::weft_execute_desc = sys::zeroed();
        raw.wgsl = texts[0].as_ptr();
        raw.entry = c_pointer(&options[0]);
        raw.device = c_pointer(&options[1]);
        raw.label = c_pointer(&options[2]);
        raw.constants = constants.as_ptr();
        raw.constant_count = constants.len() as u32;
        raw.inputs = inputs.as_ptr();
        raw.input_count = inputs.len() as u32;
        raw.outputs = outputs.as_ptr();
        raw.output_count = outputs.len() as u32;
        raw.groups = from.groups;
        raw.invocations = from.invocations;
        raw.priority = from.priority;
        raw.deadline = from.deadline;
        raw.time_limit = from.time_limit;
        raw.memory_limit = from.memory_limit;
        raw.optimize = from.optimize;
        raw.no_retry = from.no_retry;
        Ok(Desc {
            raw,
            _texts: texts,
            _options: options,
            _constants: constants,
            _inputs: inputs,
            _outputs: outputs,
        })
    }
}

fn inputs_of(from: &Execute<'_>, texts: &mut Vec<CString>) -> Result<Vec<sys::weft_execute_input>> {
    let mut inputs = Vec::with_capacity(from.inputs.len());
    for given in &from.inputs {
        let mut raw: sys::weft_execute_input = sys::zeroed();
        let name = c_text(&given.name)?;
        raw.name = name.as_ptr();
        texts.push(name);
        raw.type_ = given.scalar.number();
        raw.rank = given.shape.len() as u32;
        raw.shape = shape_of(&given.name, &given.shape)?;
        match &given.place {
            Place::Bytes(data, size) => {
                raw.data = *data as *const _;
                raw.size = *size;
            }
            Place::Own(bytes) => {
                raw.data = bytes.as_ptr() as *const _;
                raw.size = bytes.len() as u64;
            }
            Place::Resident(data) => raw.resident = data.raw,
        }
        inputs.push(raw);
    }
    Ok(inputs)
}

fn outputs_of(
    from: &Execute<'_>,
    texts: &mut Vec<CString>,
) -> Result<Vec<sys::weft_execute_output>> {
    let mut outputs = Vec::with_capacity(from.outputs.len());
    for given in &from.outputs {
        let mut raw: sys::weft_execute_output = sys::zeroed();
        let name = c_text(&given.name)?;
        raw.name = name.as_ptr();
        texts.push(name);
        raw.type_ = given.scalar.number();
        raw.rank = given.shape.len() as u32;
        raw.shape = shape_of(&given.name, &given.shape)?;
        match &given.target {
            Target::Memory(data, size) => {
                raw.data = *data as *mut _;
                raw.size = *size;
            }
            Target::Own => {}
            Target::Resident(data) => raw.resident = data.raw,
        }
        outputs.push(raw);
    }
    Ok(outputs)
}

/// Where an execution ran, and what its time went into.
#[derive(Clone, Debug, Default)]
pub struct Report {
    pub id: u64,
    pub device: String,
    pub groups: [u32; 3],
    pub workgroup_size: [u32; 3],
    pub queue: Duration,
    pub compile: Duration,
    pub upload: Duration,
    pub run: Duration,
    pub read: Duration,
    pub total: Duration,
    pub bytes_uploaded: u64,
    pub bytes_read: u64,
    /// Bytes it used on the device.
    pub memory: u64,
    /// Above 1: it ran again after the loss of a device.
    pub attempts: u32,
}

impl Report {
    pub(crate) fn new(raw: &sys::weft_execute_report) -> Report {
        Report {
            id: raw.id,
            // Safety: the name lives as long as the pool.
            device: unsafe { text(raw.device) },
            groups: raw.groups,
            workgroup_size: raw.workgroup_size,
            queue: Duration::from_nanos(raw.queue_ns),
            compile: Duration::from_nanos(raw.compile_ns),
            upload: Duration::from_nanos(raw.upload_ns),
            run: Duration::from_nanos(raw.run_ns),
            read: Duration::from_nanos(raw.read_ns),
            total: Duration::from_nanos(raw.total_ns),
            bytes_uploaded: raw.bytes_uploaded,
            bytes_read: raw.bytes_read,
            memory: raw.memory,
            attempts: raw.attempts,
        }
    }
}

/// Runs a kernel on one array, with as many workgroups as are given; `(0, 0, 0)` lets the library
/// decide. The array is the kernel's first variable that is only read, the result its first
/// writable one; a kernel without the former changes the array. A result without a size of its own
/// is as long as the array. Runs on [`PoolContext::shared`].
///
/// ```
/// # fn main() -> weft::Result<()> {
/// # std::env::set_var("WEFT_ADAPTER", "cpu");
/// let wgsl = "
///     @group(0) @binding(0) var<storage, read_write> v : array<f32>;
///     @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id : vec3u) {
///         if id.x < arrayLength(&v) { v[id.x] *= 2.0; }
///     }";
/// assert_eq!(weft::execute_compute(&[1.0f32, 2.0, 3.0], wgsl, (1, 1, 1))?, [2.0, 4.0, 6.0]);
/// # Ok(())
/// # }
/// ```
pub fn execute_compute<T: Element>(
    data: &[T],
    wgsl: &str,
    workgroups: (u32, u32, u32),
) -> Result<Vec<T>> {
    let wgsl = c_text(wgsl)?;
    let mut desc: sys::weft_execute_array_desc = sys::zeroed();
    desc.wgsl = wgsl.as_ptr();
    desc.type_ = T::SCALAR.number();
    desc.data = data.as_ptr() as *const _;
    desc.count = data.len() as u64;
    desc.groups = [workgroups.0, workgroups.1, workgroups.2];
    let mut report: sys::weft_execute_report = sys::zeroed();
    let mut count = data.len() as u64;
    let ctx = PoolContext::shared()?.raw()?;
    // Safety: the first call writes nothing but the count; the second at most that many elements.
    unsafe {
        if !sys::weft_execute_array(std::ptr::null_mut(), &mut count, ctx, &desc, &mut report) {
            return Err(Error::from_pool(&report.error));
        }
        let mut out = vec![T::default(); count as usize];
        if !sys::weft_execute_array(out.as_mut_ptr() as *mut _, &mut count, ctx, &desc, &mut report)
        {
            return Err(Error::from_pool(&report.error));
        }
        out.truncate(count as usize);
        Ok(out)
    }
}
