// SPDX-License-Identifier: Apache-2.0
//! `weft/solve.h`: least squares, minimisation, curve fits.

#[allow(unused_imports)]
use crate::*;
#[allow(unused_imports)]
use std::os::raw::*;

opaque! { weft_solve_problem, weft_solve_fit }

pub type weft_solve_loss_kind = c_uint;
pub const WEFT_SOLVE_SQUARES: weft_solve_loss_kind = 0;
pub const WEFT_SOLVE_HUBER: weft_solve_loss_kind = 1;
pub const WEFT_SOLVE_SOFT_L1: weft_solve_loss_kind = 2;
pub const WEFT_SOLVE_CAUCHY: weft_solve_loss_kind = 3;
pub const WEFT_SOLVE_ARCTAN: weft_solve_loss_kind = 4;
pub const WEFT_SOLVE_TUKEY: weft_solve_loss_kind = 5;
pub const WEFT_SOLVE_TOLERANT: weft_solve_loss_kind = 6;
pub const WEFT_SOLVE_SCALED: weft_solve_loss_kind = 7;
pub const WEFT_SOLVE_COMPOSED: weft_solve_loss_kind = 8;
pub const WEFT_SOLVE_LOSS_COUNT: weft_solve_loss_kind = 9;

pub type weft_solve_termination = c_uint;
pub const WEFT_SOLVE_COST_TOLERANCE: weft_solve_termination = 0;
pub const WEFT_SOLVE_GRADIENT_TOLERANCE: weft_solve_termination = 1;
pub const WEFT_SOLVE_PARAMETER_TOLERANCE: weft_solve_termination = 2;
pub const WEFT_SOLVE_COST_LIMIT: weft_solve_termination = 3;
pub const WEFT_SOLVE_NO_FREE_PARAMETERS: weft_solve_termination = 4;
pub const WEFT_SOLVE_MAX_ITERATIONS: weft_solve_termination = 5;
pub const WEFT_SOLVE_TIME_LIMIT: weft_solve_termination = 6;
pub const WEFT_SOLVE_STOPPED: weft_solve_termination = 7;
pub const WEFT_SOLVE_NO_DECREASE: weft_solve_termination = 8;
pub const WEFT_SOLVE_LINEAR_SOLVER: weft_solve_termination = 9;
pub const WEFT_SOLVE_NOT_FINITE: weft_solve_termination = 10;
pub const WEFT_SOLVE_DIVERGED: weft_solve_termination = 11;
pub const WEFT_SOLVE_FAILED: weft_solve_termination = 12;
pub const WEFT_SOLVE_TERMINATION_COUNT: weft_solve_termination = 13;

pub type weft_solve_method = c_uint;
pub const WEFT_SOLVE_LEVENBERG_MARQUARDT: weft_solve_method = 0;
pub const WEFT_SOLVE_DOGLEG: weft_solve_method = 1;
pub const WEFT_SOLVE_GAUSS_NEWTON: weft_solve_method = 2;
pub const WEFT_SOLVE_LBFGS: weft_solve_method = 3;
pub const WEFT_SOLVE_ADAM: weft_solve_method = 4;
pub const WEFT_SOLVE_ADAMW: weft_solve_method = 5;
pub const WEFT_SOLVE_SGD: weft_solve_method = 6;
pub const WEFT_SOLVE_METHOD_COUNT: weft_solve_method = 7;

pub type weft_solve_linear = c_uint;
pub const WEFT_SOLVE_AUTO: weft_solve_linear = 0;
pub const WEFT_SOLVE_DENSE_CHOLESKY: weft_solve_linear = 1;
pub const WEFT_SOLVE_DENSE_QR: weft_solve_linear = 2;
pub const WEFT_SOLVE_SPARSE_CHOLESKY: weft_solve_linear = 3;
pub const WEFT_SOLVE_SCHUR: weft_solve_linear = 4;
pub const WEFT_SOLVE_CONJUGATE_GRADIENT: weft_solve_linear = 5;
pub const WEFT_SOLVE_CHOLMOD: weft_solve_linear = 6;
pub const WEFT_SOLVE_LINEAR_COUNT: weft_solve_linear = 7;

pub type weft_solve_damping = c_uint;
pub const WEFT_SOLVE_DIAGONAL: weft_solve_damping = 0;
pub const WEFT_SOLVE_IDENTITY: weft_solve_damping = 1;

pub type weft_solve_callback =
    Option<unsafe extern "C" fn(user: *mut c_void, iteration: *const weft_solve_iteration) -> bool>;

#[repr(C)]
#[derive(Clone, Copy)]
pub struct weft_solve_problem_desc {
    pub parameter_count: u32,
    pub label: *const c_char,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct weft_solve_function {
    pub evaluate: Option<
        unsafe extern "C" fn(
            user: *mut c_void,
            residuals: *mut f64,
            jacobian: *mut f64,
            parameters: *const f64,
        ) -> bool,
    >,
    pub user: *mut c_void,
    pub residual_count: u32,
    pub index: *const u32,
    pub parameter_count: u32,
    pub label: *const c_char,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct weft_solve_loss {
    pub kind: weft_solve_loss_kind,
    pub a: f64,
    pub b: f64,
    pub f: *const weft_solve_loss,
    pub g: *const weft_solve_loss,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct weft_solve_result {
    pub termination: weft_solve_termination,
    pub converged: bool,
    pub method: weft_solve_method,
    pub linear: weft_solve_linear,
    pub initial_cost: f64,
    pub final_cost: f64,
    pub gradient: f64,
    pub iterations: u32,
    pub accepted: u32,
    pub cost_evaluations: u32,
    pub jacobian_evaluations: u32,
    pub linear_solves: u32,
    pub linear_iterations: u32,
    pub parameters: u32,
    pub free_parameters: u32,
    pub eliminated: u32,
    pub residuals: u64,
    pub jacobian_entries: u64,
    pub factor_entries: u64,
    pub threads: u32,
    pub seconds: f64,
    pub setup_seconds: f64,
    pub cost_seconds: f64,
    pub jacobian_seconds: f64,
    pub linear_seconds: f64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct weft_solve_options {
    pub method: weft_solve_method,
    pub linear: weft_solve_linear,
    pub damping: weft_solve_damping,
    pub max_iterations: u32,
    pub cost_tolerance: f64,
    pub gradient_tolerance: f64,
    pub parameter_tolerance: f64,
    pub cost_limit: f64,
    pub time_limit: f64,
    pub initial_radius: f64,
    pub max_radius: f64,
    pub nonmonotonic: u32,
    pub no_scaling: bool,
    pub eliminate: *const u32,
    pub eliminate_count: u32,
    pub linear_iterations: u32,
    pub linear_tolerance: f64,
    pub mixed: bool,
    pub history: u32,
    pub learning_rate: f64,
    pub beta1: f64,
    pub beta2: f64,
    pub epsilon: f64,
    pub momentum: f64,
    pub weight_decay: f64,
    pub gradient_clip: f64,
    pub threads: u32,
    pub callback: weft_solve_callback,
    pub user: *mut c_void,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct weft_solve_iteration {
    pub iteration: u32,
    pub accepted: bool,
    pub cost: f64,
    pub change: f64,
    pub gradient: f64,
    pub step: f64,
    pub radius: f64,
    pub linear_iterations: u32,
    pub seconds: f64,
    pub x: *const f64,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct weft_solve_fit_desc {
    pub formula: *const c_char,
    pub columns: *const *const c_char,
    pub column_count: u32,
    pub data: *const f64,
    pub count: u32,
    pub observed: *const c_char,
    pub sigma: *const c_char,
    pub guesses: *const weft_solve_guess,
    pub guess_count: u32,
    pub trials: u32,
    pub loss: *const weft_solve_loss,
    pub options: *const weft_solve_options,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct weft_solve_guess {
    pub name: *const c_char,
    pub start: f64,
    pub lower: f64,
    pub upper: f64,
    pub fixed: bool,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct weft_solve_fit_info {
    pub parameters: u32,
    pub points: u32,
    pub freedom: u32,
    pub chi2: f64,
    pub rms: f64,
    pub r2: f64,
    pub observed: *const c_char,
    pub model: *const c_char,
    pub trials: u32,
    pub result: weft_solve_result,
    pub summary: *const c_char,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct weft_solve_fit_parameter {
    pub name: *const c_char,
    pub value: f64,
    pub error: f64,
    pub start: f64,
}

extern "C" {
    pub fn weft_solve_problem_create(
        ctx: *mut weft_context,
        desc: *const weft_solve_problem_desc,
    ) -> *mut weft_solve_problem;
    pub fn weft_solve_problem_release(problem: *mut weft_solve_problem);
    pub fn weft_solve_add_function(
        problem: *mut weft_solve_problem,
        function: *const weft_solve_function,
        loss: *const weft_solve_loss,
    ) -> bool;
    pub fn weft_solve_set_fixed(
        problem: *mut weft_solve_problem,
        first: u32,
        count: u32,
        fixed: bool,
    ) -> bool;
    pub fn weft_solve_set_bounds(
        problem: *mut weft_solve_problem,
        first: u32,
        count: u32,
        lower: *const f64,
        upper: *const f64,
    ) -> bool;
    pub fn weft_solve(
        result: *mut weft_solve_result,
        x: *mut f64,
        problem: *mut weft_solve_problem,
        options: *const weft_solve_options,
    ) -> bool;
    pub fn weft_solve_summary(problem: *mut weft_solve_problem) -> *const c_char;
    pub fn weft_solve_termination_name(reason: weft_solve_termination) -> *const c_char;
    pub fn weft_solve_method_find(out: *mut weft_solve_method, name: *const c_char) -> bool;
    pub fn weft_solve_fit_create(
        ctx: *mut weft_context,
        desc: *const weft_solve_fit_desc,
    ) -> *mut weft_solve_fit;
    pub fn weft_solve_fit_release(fit: *mut weft_solve_fit);
    pub fn weft_solve_fit_get_info(
        out: *mut weft_solve_fit_info,
        fit: *const weft_solve_fit,
    ) -> bool;
    pub fn weft_solve_fit_parameter_get(
        out: *mut weft_solve_fit_parameter,
        fit: *const weft_solve_fit,
        index: u32,
    ) -> bool;
    pub fn weft_solve_fit_evaluate(
        out: *mut f64,
        fit: *mut weft_solve_fit,
        data: *const f64,
        count: u32,
    ) -> bool;
    pub fn weft_solve_fit_covariance(fit: *const weft_solve_fit, a: u32, b: u32) -> f64;
}
