// SPDX-License-Identifier: Apache-2.0
//! `weft/model.h`: language models.

#[allow(unused_imports)]
use crate::*;
#[allow(unused_imports)]
use std::os::raw::*;

opaque! { weft_gguf, weft_model, weft_model_session, weft_model_grammar, weft_model_sampler, weft_model_template }

pub type weft_model_precision = c_uint;
pub const WEFT_MODEL_PRECISION_AUTO: weft_model_precision = 0;
pub const WEFT_MODEL_PRECISION_F32: weft_model_precision = 1;
pub const WEFT_MODEL_PRECISION_INT8: weft_model_precision = 2;

pub type weft_progress =
    Option<unsafe extern "C" fn(user: *mut c_void, done: u64, total: u64) -> bool>;

pub type weft_model_cache = c_uint;
pub const WEFT_MODEL_CACHE_AUTO: weft_model_cache = 0;
pub const WEFT_MODEL_CACHE_F32: weft_model_cache = 1;
pub const WEFT_MODEL_CACHE_F16: weft_model_cache = 2;
pub const WEFT_MODEL_CACHE_Q8_0: weft_model_cache = 3;

pub type weft_model_scaling = c_uint;
pub const WEFT_MODEL_SCALING_AUTO: weft_model_scaling = 0;
pub const WEFT_MODEL_SCALING_NONE: weft_model_scaling = 1;
pub const WEFT_MODEL_SCALING_LINEAR: weft_model_scaling = 2;
pub const WEFT_MODEL_SCALING_YARN: weft_model_scaling = 3;
pub const WEFT_MODEL_SCALING_LONGROPE: weft_model_scaling = 4;

pub type weft_model_stop = c_uint;
pub const WEFT_MODEL_STOP_LENGTH: weft_model_stop = 1;
pub const WEFT_MODEL_STOP_END: weft_model_stop = 2;
pub const WEFT_MODEL_STOP_TEXT: weft_model_stop = 3;
pub const WEFT_MODEL_STOP_CALLER: weft_model_stop = 4;
pub const WEFT_MODEL_STOP_CANCELLED: weft_model_stop = 5;
pub const WEFT_MODEL_STOP_CONTEXT: weft_model_stop = 6;

pub type weft_token = i32;

pub type weft_model_pooling = c_uint;
pub const WEFT_MODEL_POOLING_AUTO: weft_model_pooling = 0;
pub const WEFT_MODEL_POOLING_MEAN: weft_model_pooling = 1;
pub const WEFT_MODEL_POOLING_CLS: weft_model_pooling = 2;
pub const WEFT_MODEL_POOLING_LAST: weft_model_pooling = 3;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct weft_model_desc {
    pub path: *const c_char,
    pub data: *const c_void,
    pub size: usize,
    pub file: *mut weft_gguf,
    pub name: *const c_char,
    pub devices: *const *mut weft_context,
    pub device_count: usize,
    pub shares: *const f32,
    pub memory_limit: u64,
    pub architecture: *const c_char,
    pub activations: weft_model_precision,
    pub no_self_test: bool,
    pub no_fallback: bool,
    pub progress: weft_progress,
    pub user: *mut c_void,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct weft_model_info {
    pub architecture: *const c_char,
    pub name: *const c_char,
    pub type_: *const c_char,
    pub parameters: u64,
    pub weight_bytes: u64,
    pub vocabulary: u32,
    pub context: u32,
    pub embedding: u32,
    pub layers: u32,
    pub heads: u32,
    pub kv_heads: u32,
    pub head_size: u32,
    pub feed_forward: u32,
    pub experts: u32,
    pub experts_used: u32,
    pub generates: bool,
    pub device: *const c_char,
    pub fallback: *const c_char,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct weft_model_session_desc {
    pub context: u32,
    pub sequences: u32,
    pub batch: u32,
    pub cache: weft_model_cache,
    pub activations: weft_model_precision,
    pub rope_scaling: weft_model_scaling,
    pub rope_base: f32,
    pub rope_factor: f32,
    pub no_prefix_reuse: bool,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct weft_model_answer {
    pub text: *mut c_char,
    pub size: usize,
    pub stop: weft_model_stop,
    pub prompt_tokens: u32,
    pub reused_tokens: u32,
    pub tokens: u32,
    pub prompt_seconds: f64,
    pub seconds: f64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct weft_model_generate_desc {
    pub max_tokens: u32,
    pub stop: *const *const c_char,
    pub stop_count: usize,
    pub sequence: u32,
    pub tokenize: u32,
    pub ignore_end: bool,
    pub sampling: weft_model_sampler_desc,
    pub sampler: *mut weft_model_sampler,
    pub render: *const weft_model_render_desc,
    pub tmpl: *mut weft_model_template,
    pub on_text:
        Option<unsafe extern "C" fn(user: *mut c_void, piece: *const weft_model_piece) -> bool>,
    pub on_prompt: weft_progress,
    pub user: *mut c_void,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct weft_model_sampler_desc {
    pub temperature: f32,
    pub top_k: i32,
    pub top_p: f32,
    pub min_p: f32,
    pub typical_p: f32,
    pub top_n_sigma: f32,
    pub xtc_probability: f32,
    pub xtc_threshold: f32,
    pub repetition_penalty: f32,
    pub frequency_penalty: f32,
    pub presence_penalty: f32,
    pub penalty_last_n: i32,
    pub dry_multiplier: f32,
    pub dry_base: f32,
    pub dry_allowed_length: i32,
    pub dry_last_n: i32,
    pub dry_breakers: *const *const c_char,
    pub dry_breaker_count: usize,
    pub min_keep: u32,
    pub seed: u64,
    pub seeded: bool,
    pub bias: *const weft_model_bias,
    pub bias_count: usize,
    pub grammar: *mut weft_model_grammar,
    pub logprobs: u32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct weft_model_bias {
    pub token: weft_token,
    pub bias: f32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct weft_model_render_desc {
    pub no_generation_prompt: bool,
    pub tools: *const c_char,
    pub variables: *const c_char,
    pub now: i64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct weft_model_piece {
    pub text: *const c_char,
    pub size: usize,
    pub choice: *const weft_model_choice,
    pub index: u32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct weft_model_choice {
    pub token: weft_token,
    pub logprob: f32,
    pub probability: f32,
    pub top: *const weft_model_logprob,
    pub top_count: u32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct weft_model_logprob {
    pub token: weft_token,
    pub logprob: f32,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct weft_model_message {
    pub role: *const c_char,
    pub content: *const c_char,
    pub content_size: usize,
    pub extra: *const c_char,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct weft_model_embed_desc {
    pub pooling: weft_model_pooling,
    pub no_normalize: bool,
    pub truncate: bool,
    pub tokenize: u32,
}

extern "C" {
    pub fn weft_model_create(
        ctx: *mut weft_context,
        desc: *const weft_model_desc,
    ) -> *mut weft_model;
    pub fn weft_model_release(model: *mut weft_model);
    pub fn weft_model_info_get(out: *mut weft_model_info, model: *const weft_model) -> bool;
    pub fn weft_model_session_create(
        model: *mut weft_model,
        desc: *const weft_model_session_desc,
    ) -> *mut weft_model_session;
    pub fn weft_model_session_release(session: *mut weft_model_session);
    pub fn weft_model_session_generate(
        out: *mut weft_model_answer,
        session: *mut weft_model_session,
        prompt: *const c_char,
        desc: *const weft_model_generate_desc,
    ) -> bool;
    pub fn weft_model_session_chat(
        out: *mut weft_model_answer,
        session: *mut weft_model_session,
        messages: *const weft_model_message,
        count: usize,
        desc: *const weft_model_generate_desc,
    ) -> bool;
    pub fn weft_model_session_embed(
        out: *mut f32,
        session: *mut weft_model_session,
        texts: *const *const c_char,
        count: usize,
        desc: *const weft_model_embed_desc,
    ) -> bool;
    pub fn weft_model_answer_fini(answer: *mut weft_model_answer);
    pub fn weft_model_session_length(session: *const weft_model_session, sequence: u32) -> u32;
    pub fn weft_model_session_clear(session: *mut weft_model_session);
}
