// SPDX-License-Identifier: Apache-2.0
//! `weft/context.h`: devices with a memory budget and errors.

#[allow(unused_imports)]
use crate::*;
#[allow(unused_imports)]
use std::os::raw::*;

opaque! { weft_context }

pub type weft_memory_mode = c_uint;
pub const WEFT_MEMORY_BALANCED: weft_memory_mode = 0;
pub const WEFT_MEMORY_SPEED: weft_memory_mode = 1;
pub const WEFT_MEMORY_LOW: weft_memory_mode = 2;

pub type weft_log =
    Option<unsafe extern "C" fn(user: *mut c_void, topic: weft_log_topic, message: *const c_char)>;

pub type weft_log_topic = c_uint;
pub const WEFT_LOG_DEVICE: weft_log_topic = 1;
pub const WEFT_LOG_COMPILE: weft_log_topic = 2;
pub const WEFT_LOG_MEMORY: weft_log_topic = 3;
pub const WEFT_LOG_OPERATION: weft_log_topic = 4;
pub const WEFT_LOG_ERROR: weft_log_topic = 5;

pub type WGPUSType = c_uint;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct weft_context_desc {
    pub share: *mut weft_context,
    pub adapter: *const c_char,
    pub library: *const c_char,
    pub no_device: bool,
    pub threads: u32,
    pub dispatch_deadline: u64,
    pub timed_waits_help: bool,
    pub memory_budget: u64,
    pub host_budget: u64,
    pub spill_dir: *const c_char,
    pub memory_mode: weft_memory_mode,
    pub pipeline_limit: u32,
    pub eval_threshold: u64,
    pub checked: bool,
    pub no_cache: bool,
    pub log: weft_log,
    pub log_user: *mut c_void,
    pub label: *const c_char,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct weft_error {
    pub kind: weft_error_kind,
    pub message: *const c_char,
    pub names: [*const c_char; 4usize],
    pub name_count: u32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct weft_device_info {
    pub name: *const c_char,
    pub vendor: *const c_char,
    pub architecture: *const c_char,
    pub driver: *const c_char,
    pub backend: *const c_char,
    pub type_: *const c_char,
    pub library: *const c_char,
    pub reason: *const c_char,
    pub hardware_gpu: bool,
    pub f16: bool,
    pub f64_: bool,
    pub subgroups: bool,
    pub timestamps: bool,
    pub memory: u64,
    pub limits: WGPULimits,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct WGPULimits {
    pub nextInChain: *mut WGPUChainedStruct,
    pub maxTextureDimension1D: u32,
    pub maxTextureDimension2D: u32,
    pub maxTextureDimension3D: u32,
    pub maxTextureArrayLayers: u32,
    pub maxBindGroups: u32,
    pub maxBindGroupsPlusVertexBuffers: u32,
    pub maxBindingsPerBindGroup: u32,
    pub maxDynamicUniformBuffersPerPipelineLayout: u32,
    pub maxDynamicStorageBuffersPerPipelineLayout: u32,
    pub maxSampledTexturesPerShaderStage: u32,
    pub maxSamplersPerShaderStage: u32,
    pub maxStorageBuffersPerShaderStage: u32,
    pub maxStorageTexturesPerShaderStage: u32,
    pub maxUniformBuffersPerShaderStage: u32,
    pub maxUniformBufferBindingSize: u64,
    pub maxStorageBufferBindingSize: u64,
    pub minUniformBufferOffsetAlignment: u32,
    pub minStorageBufferOffsetAlignment: u32,
    pub maxVertexBuffers: u32,
    pub maxBufferSize: u64,
    pub maxVertexAttributes: u32,
    pub maxVertexBufferArrayStride: u32,
    pub maxInterStageShaderVariables: u32,
    pub maxColorAttachments: u32,
    pub maxColorAttachmentBytesPerSample: u32,
    pub maxComputeWorkgroupStorageSize: u32,
    pub maxComputeInvocationsPerWorkgroup: u32,
    pub maxComputeWorkgroupSizeX: u32,
    pub maxComputeWorkgroupSizeY: u32,
    pub maxComputeWorkgroupSizeZ: u32,
    pub maxComputeWorkgroupsPerDimension: u32,
    pub maxImmediateSize: u32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct WGPUChainedStruct {
    pub next: *mut WGPUChainedStruct,
    pub sType: WGPUSType,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct weft_memory {
    pub live: u64,
    pub peak: u64,
    pub pooled: u64,
    pub host: u64,
    pub disk: u64,
    pub evicted: u64,
    pub budget: u64,
}

extern "C" {
    pub fn weft_context_create(desc: *const weft_context_desc) -> *mut weft_context;
    pub fn weft_context_retain(ctx: *mut weft_context) -> *mut weft_context;
    pub fn weft_context_release(ctx: *mut weft_context);
    pub fn weft_context_available(
        desc: *const weft_context_desc,
        why: *mut c_char,
        why_size: usize,
    ) -> bool;
    pub fn weft_context_error(ctx: *const weft_context) -> *const weft_error;
    pub fn weft_context_error_clear(ctx: *mut weft_context);
    pub fn weft_context_device(ctx: *const weft_context) -> *const weft_device_info;
    pub fn weft_context_wait(ctx: *mut weft_context) -> bool;
    pub fn weft_context_memory(out: *mut weft_memory, ctx: *const weft_context);
    pub fn weft_context_trim(ctx: *mut weft_context, keep: u64);
    pub fn weft_context_counter(ctx: *const weft_context, name: *const c_char) -> u64;
}
