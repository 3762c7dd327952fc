// SPDX-License-Identifier: Apache-2.0
//! `weft/pool.h`: many devices behind one call.

#[allow(unused_imports)]
use crate::*;
#[allow(unused_imports)]
use std::os::raw::*;

opaque! { weft_pool, weft_pool_context, weft_pool_data, weft_execution }

pub type weft_policy = c_uint;
pub const WEFT_POLICY_DEFAULT: weft_policy = 0;
pub const WEFT_POLICY_FINISH: weft_policy = 1;
pub const WEFT_POLICY_PERFORMANCE: weft_policy = 2;
pub const WEFT_POLICY_POWER: weft_policy = 3;
pub const WEFT_POLICY_MEMORY: weft_policy = 4;
pub const WEFT_POLICY_ROUND_ROBIN: weft_policy = 5;
pub const WEFT_POLICY_DEVICE: weft_policy = 6;
pub const WEFT_POLICY_COUNT: weft_policy = 7;

pub type weft_alert_callback =
    Option<unsafe extern "C" fn(user: *mut c_void, alert: *const weft_alert)>;

pub type weft_alert_kind = c_uint;
pub const WEFT_ALERT_SPEED: weft_alert_kind = 1;
pub const WEFT_ALERT_MEMORY: weft_alert_kind = 2;
pub const WEFT_ALERT_ERRORS: weft_alert_kind = 3;
pub const WEFT_ALERT_DEVICE: weft_alert_kind = 4;

pub type weft_sample_callback =
    Option<unsafe extern "C" fn(user: *mut c_void, sample: *const weft_sample)>;

pub type weft_device_state = c_uint;
pub const WEFT_DEVICE_READY: weft_device_state = 1;
pub const WEFT_DEVICE_LOST: weft_device_state = 2;
pub const WEFT_DEVICE_GIVEN_UP: weft_device_state = 3;

pub type weft_scalar = c_uint;
pub const WEFT_SCALAR_BOOL: weft_scalar = 1;
pub const WEFT_SCALAR_I32: weft_scalar = 2;
pub const WEFT_SCALAR_U32: weft_scalar = 3;
pub const WEFT_SCALAR_F32: weft_scalar = 4;
pub const WEFT_SCALAR_F16: weft_scalar = 5;
pub const WEFT_SCALAR_F64: weft_scalar = 6;

pub type weft_execute_callback = Option<
    unsafe extern "C" fn(
        user: *mut c_void,
        execution: *mut weft_execution,
        report: *const weft_execute_report,
    ),
>;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct weft_pool_desc {
    pub libraries: *const *const c_char,
    pub no_own: bool,
    pub adapters: *const *const c_char,
    pub probe_in_process: bool,
    pub probe_timeout: u64,
    pub benchmark_timeout: u64,
    pub cache_dir: *const c_char,
    pub no_cache: bool,
    pub threads: u32,
    pub dispatch_deadline: u64,
    pub time_limit: u64,
    pub memory_limit: u64,
    pub device_memory: u64,
    pub host_limit: u64,
    pub policy: weft_policy,
    pub device: *const c_char,
    pub retries: u32,
    pub backoff_ns: u64,
    pub give_up: u32,
    pub program_limit: u32,
    pub alert_speed: f64,
    pub alert_memory: f64,
    pub alert_errors: f64,
    pub sample_ns: u64,
    pub alert: weft_alert_callback,
    pub sample: weft_sample_callback,
    pub user: *mut c_void,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct weft_alert {
    pub kind: weft_alert_kind,
    pub device: u32,
    pub subject: *const c_char,
    pub value: f64,
    pub limit: f64,
    pub message: *const c_char,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct weft_sample {
    pub execution: u64,
    pub device: u32,
    pub kernel: *const c_char,
    pub elapsed_ns: u64,
    pub expected_ns: u64,
    pub device_memory: u64,
    pub queued: u32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct weft_pool_source {
    pub library: *const c_char,
    pub devices: u32,
    pub error: *const c_char,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct weft_pool_device {
    pub index: u32,
    pub id: *const c_char,
    pub name: *const c_char,
    pub vendor: *const c_char,
    pub architecture: *const c_char,
    pub driver: *const c_char,
    pub backend: *const c_char,
    pub type_: *const c_char,
    pub library: *const c_char,
    pub hardware_gpu: bool,
    pub f16: bool,
    pub f64_: bool,
    pub subgroups: bool,
    pub memory: u64,
    pub limits: WGPULimits,
    pub profile: weft_profile,
    pub state: weft_device_state,
    pub losses: u32,
    pub queued: u32,
    pub backlog_ns: u64,
    pub memory_used: u64,
    pub memory_budget: u64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct weft_profile {
    pub f32_rate: f64,
    pub f16_rate: f64,
    pub i32_rate: f64,
    pub function_rate: f64,
    pub bandwidth: f64,
    pub cache_bandwidth: f64,
    pub cache_size: u64,
    pub launch_ns: f64,
    pub upload_rate: f64,
    pub read_rate: f64,
    pub memory: u64,
    pub measured: bool,
    pub cached: bool,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct weft_pool_context_desc {
    pub label: *const c_char,
    pub memory_quota: u64,
    pub execution_quota: u32,
    pub time_quota: u64,
    pub weight: u32,
    pub policy: weft_policy,
    pub device: *const c_char,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct weft_pool_error {
    pub kind: weft_error_kind,
    pub message: [c_char; 496usize],
    pub name: [c_char; 72usize],
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct weft_pool_usage {
    pub memory: u64,
    pub memory_peak: u64,
    pub device_ns: u64,
    pub executions: u64,
    pub errors: u64,
    pub waiting: u32,
    pub running: u32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct weft_pool_data_desc {
    pub name: *const c_char,
    pub type_: weft_scalar,
    pub rank: u32,
    pub shape: [u64; 8usize],
    pub data: *const c_void,
    pub size: u64,
    pub device_only: bool,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct weft_execute_desc {
    pub wgsl: *const c_char,
    pub entry: *const c_char,
    pub constants: *const weft_constant,
    pub constant_count: u32,
    pub inputs: *const weft_execute_input,
    pub input_count: u32,
    pub outputs: *const weft_execute_output,
    pub output_count: u32,
    pub groups: [u32; 3usize],
    pub invocations: [u32; 3usize],
    pub policy: weft_policy,
    pub device: *const c_char,
    pub priority: i32,
    pub deadline: u64,
    pub time_limit: u64,
    pub memory_limit: u64,
    pub optimize: bool,
    pub no_retry: bool,
    pub split_unit: u32,
    pub split_offset: *const c_char,
    pub split_count: *const c_char,
    pub label: *const c_char,
    pub callback: weft_execute_callback,
    pub user: *mut c_void,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct weft_constant {
    pub name: *const c_char,
    pub value: f64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct weft_execute_input {
    pub name: *const c_char,
    pub type_: weft_scalar,
    pub rank: u32,
    pub shape: [u64; 8usize],
    pub data: *const c_void,
    pub size: u64,
    pub resident: *mut weft_pool_data,
    pub split: bool,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct weft_execute_output {
    pub name: *const c_char,
    pub type_: weft_scalar,
    pub rank: u32,
    pub shape: [u64; 8usize],
    pub data: *mut c_void,
    pub size: u64,
    pub resident: *mut weft_pool_data,
    pub split: bool,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct weft_execute_report {
    pub id: u64,
    pub error: weft_pool_error,
    pub device: *const c_char,
    pub device_index: u32,
    pub groups: [u32; 3usize],
    pub workgroup_size: [u32; 3usize],
    pub queue_ns: u64,
    pub compile_ns: u64,
    pub upload_ns: u64,
    pub run_ns: u64,
    pub read_ns: u64,
    pub total_ns: u64,
    pub bytes_uploaded: u64,
    pub bytes_read: u64,
    pub memory: u64,
    pub expected_ns: f64,
    pub baseline_ns: f64,
    pub attempts: u32,
    pub parts: u32,
    pub batch: u32,
    pub samples: u32,
    pub stolen: bool,
    pub note: [c_char; 200usize],
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct weft_execute_array_desc {
    pub wgsl: *const c_char,
    pub entry: *const c_char,
    pub type_: weft_scalar,
    pub data: *const c_void,
    pub count: u64,
    pub groups: [u32; 3usize],
    pub device: *const c_char,
    pub time_limit: u64,
    pub no_retry: bool,
}

extern "C" {
    pub fn weft_policy_name(policy: weft_policy) -> *const c_char;
    pub fn weft_policy_find(name: *const c_char) -> weft_policy;
    pub fn weft_pool_create(desc: *const weft_pool_desc) -> *mut weft_pool;
    pub fn weft_pool_retain(pool: *mut weft_pool) -> *mut weft_pool;
    pub fn weft_pool_release(pool: *mut weft_pool);
    pub fn weft_pool_source_count(pool: *const weft_pool) -> u32;
    pub fn weft_pool_source_get(
        out: *mut weft_pool_source,
        pool: *const weft_pool,
        index: u32,
    ) -> bool;
    pub fn weft_pool_device_count(pool: *const weft_pool) -> u32;
    pub fn weft_pool_device_get(
        out: *mut weft_pool_device,
        pool: *const weft_pool,
        index: u32,
    ) -> bool;
    pub fn weft_pool_device_find(pool: *const weft_pool, word: *const c_char) -> u32;
    pub fn weft_pool_device_measure(
        pool: *mut weft_pool,
        index: u32,
        why: *mut c_char,
        why_size: usize,
    ) -> bool;
    pub fn weft_pool_context_create(
        pool: *mut weft_pool,
        desc: *const weft_pool_context_desc,
    ) -> *mut weft_pool_context;
    pub fn weft_pool_context_retain(ctx: *mut weft_pool_context) -> *mut weft_pool_context;
    pub fn weft_pool_context_release(ctx: *mut weft_pool_context);
    pub fn weft_pool_context_error(
        out: *mut weft_pool_error,
        ctx: *const weft_pool_context,
    ) -> bool;
    pub fn weft_pool_context_error_clear(ctx: *mut weft_pool_context);
    pub fn weft_pool_context_usage(out: *mut weft_pool_usage, ctx: *const weft_pool_context);
    pub fn weft_pool_open(ctx: *mut weft_pool_context, device: *const c_char) -> *mut weft_context;
    pub fn weft_pool_data_create(
        ctx: *mut weft_pool_context,
        desc: *const weft_pool_data_desc,
    ) -> *mut weft_pool_data;
    pub fn weft_pool_data_retain(data: *mut weft_pool_data) -> *mut weft_pool_data;
    pub fn weft_pool_data_release(data: *mut weft_pool_data);
    pub fn weft_pool_data_find(
        ctx: *mut weft_pool_context,
        name: *const c_char,
    ) -> *mut weft_pool_data;
    pub fn weft_pool_data_size(data: *const weft_pool_data) -> u64;
    pub fn weft_pool_data_read(
        out: *mut c_void,
        data: *mut weft_pool_data,
        offset: u64,
        size: u64,
    ) -> bool;
    pub fn weft_pool_data_write(
        data: *mut weft_pool_data,
        offset: u64,
        bytes: *const c_void,
        size: u64,
    ) -> bool;
    pub fn weft_execute(
        ctx: *mut weft_pool_context,
        desc: *const weft_execute_desc,
        report: *mut weft_execute_report,
    ) -> bool;
    pub fn weft_execute_async(
        ctx: *mut weft_pool_context,
        desc: *const weft_execute_desc,
    ) -> *mut weft_execution;
    pub fn weft_execution_retain(execution: *mut weft_execution) -> *mut weft_execution;
    pub fn weft_execution_release(execution: *mut weft_execution);
    pub fn weft_execution_done(execution: *const weft_execution) -> bool;
    pub fn weft_execution_wait(execution: *mut weft_execution, timeout_ns: u64) -> bool;
    pub fn weft_execution_cancel(execution: *mut weft_execution) -> bool;
    pub fn weft_execution_report(
        out: *mut weft_execute_report,
        execution: *const weft_execution,
    ) -> bool;
    pub fn weft_execution_output(
        execution: *const weft_execution,
        name: *const c_char,
        size: *mut u64,
    ) -> *const c_void;
    pub fn weft_execute_array(
        result: *mut c_void,
        count: *mut u64,
        ctx: *mut weft_pool_context,
        desc: *const weft_execute_array_desc,
        report: *mut weft_execute_report,
    ) -> bool;
    pub fn weft_pool_shared() -> *mut weft_pool_context;
    pub fn weft_pool_explain(
        out: *mut c_char,
        size: usize,
        ctx: *mut weft_pool_context,
        desc: *const weft_execute_desc,
    ) -> usize;
}
