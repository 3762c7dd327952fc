// SPDX-License-Identifier: Apache-2.0
//! Curve fits by formula, and nonlinear least squares with residuals in Rust.

use std::ffi::CString;
use std::marker::PhantomData;
use std::os::raw::c_void;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::rc::Rc;

use weft_sys as sys;

use crate::context::RawContext;
use crate::error::{c_pointer, c_text, text};
use crate::{Context, Error, Result};

/// What is known of a parameter before a fit.
#[derive(Clone, Debug)]
pub struct Guess {
    pub name: String,
    /// `None`: unknown, many starts are tried.
    pub start: Option<f64>,
    pub bounds: Option<(f64, f64)>,
    /// It keeps its start.
    pub fixed: bool,
}

/// A parameter that was found.
#[derive(Clone, Debug)]
pub struct Parameter {
    pub name: String,
    pub value: f64,
    /// Standard deviation; 0 if fixed, NaN if undetermined.
    pub error: f64,
}

/// The result of a fit.
#[derive(Clone, Debug)]
pub struct Fit {
    pub parameters: Vec<Parameter>,
    /// The model at the points of the data.
    pub model: Vec<f64>,
    /// Sum of squared residuals.
    pub chi2: f64,
    pub rms: f64,
    pub r2: f64,
    pub converged: bool,
    /// Of the solve, for people.
    pub summary: String,
}

struct RawFit(*mut sys::weft_solve_fit);

impl Drop for RawFit {
    fn drop(&mut self) {
        unsafe { sys::weft_solve_fit_release(self.0) }
    }
}

/// Fits the parameters of a formula to columns of data: names in it that are not columns are
/// parameters. Columns have the same length.
///
/// ```
/// # fn main() -> weft::Result<()> {
/// # std::env::set_var("WEFT_ADAPTER", "cpu");
/// let x: Vec<f64> = (0..20).map(|i| i as f64 / 4.0).collect();
/// let y: Vec<f64> = x.iter().map(|x| 3.0 * (-0.5 * x).exp() + 1.0).collect();
/// let fit = weft::fit(&weft::Context::new()?, "y = a*exp(-b*x) + c", &[("x", &x), ("y", &y)], &[])?;
/// assert!(fit.converged && fit.rms < 1e-6);
/// let b = fit.parameters.iter().find(|p| p.name == "b").unwrap();
/// assert!((b.value - 0.5).abs() < 1e-6);
/// # Ok(())
/// # }
/// ```
pub fn fit(
    context: &Context,
    formula: &str,
    columns: &[(&str, &[f64])],
    guesses: &[Guess],
) -> Result<Fit> {
    let ctx = context.raw()?;
    let count = columns.first().map_or(0, |(_, data)| data.len());
    if columns.iter().any(|(_, data)| data.len() != count) {
        return Err(Error::new(crate::ErrorKind::Shape, "the columns have different lengths"));
    }
    let formula = c_text(formula)?;
    let names = columns.iter().map(|(name, _)| c_text(name)).collect::<Result<Vec<CString>>>()?;
    let pointers: Vec<_> = names.iter().map(|n| n.as_ptr()).collect();
    let data: Vec<f64> = (0..count).flat_map(|i| columns.iter().map(move |(_, d)| d[i])).collect();
    let known = guesses.iter().map(|g| c_text(&g.name)).collect::<Result<Vec<CString>>>()?;
    let guesses: Vec<_> = guesses.iter().zip(&known).map(|(g, name)| guess(g, name)).collect();
    let mut desc: sys::weft_solve_fit_desc = sys::zeroed();
    desc.formula = formula.as_ptr();
    desc.columns = pointers.as_ptr();
    desc.column_count = pointers.len() as u32;
    desc.data = data.as_ptr();
    desc.count = u32::try_from(count).map_err(|_| Error::invalid("too many points"))?;
    desc.guesses = guesses.as_ptr();
    desc.guess_count = guesses.len() as u32;
    // Safety: everything that the descriptor points to lives until the call is over.
    let fit = RawFit(context.0.check(unsafe { sys::weft_solve_fit_create(ctx, &desc) })?);
    result_of(context, &fit, count)
}

fn guess(g: &Guess, name: &CString) -> sys::weft_solve_guess {
    let (lower, upper) = g.bounds.unwrap_or((0.0, 0.0));
    let start = g.start.unwrap_or(f64::NAN);
    sys::weft_solve_guess { name: name.as_ptr(), start, lower, upper, fixed: g.fixed }
}

fn result_of(context: &Context, fit: &RawFit, count: usize) -> Result<Fit> {
    let mut info: sys::weft_solve_fit_info = sys::zeroed();
    let mut model = vec![0.0; count];
    // Safety: texts live as long as the fit, and are copied; the model has `count` values.
    unsafe {
        context.0.check_ok(sys::weft_solve_fit_get_info(&mut info, fit.0))?;
        let raw =
            sys::weft_solve_fit_evaluate(model.as_mut_ptr(), fit.0, std::ptr::null(), count as u32);
        context.0.check_ok(raw)?;
        let mut parameters = Vec::new();
        let mut p: sys::weft_solve_fit_parameter = sys::zeroed();
        while sys::weft_solve_fit_parameter_get(&mut p, fit.0, parameters.len() as u32) {
            parameters.push(Parameter { name: text(p.name), value: p.value, error: p.error });
        }
        Ok(Fit {
            parameters,
            model,
            chi2: info.chi2,
            rms: info.rms,
            r2: info.r2,
            converged: info.result.converged,
            summary: text(info.summary),
        })
    }
}

/// Residuals and, if it is asked for, their Jacobian [residual][parameter] at a point. False: not
/// defined there.
type Residuals<'a> = dyn FnMut(&[f64], &mut [f64], Option<&mut [f64]>) -> bool + 'a;

struct Function<'a> {
    call: Box<Residuals<'a>>,
    residuals: usize,
    parameters: usize,
    panic: Option<Box<dyn std::any::Any + Send>>,
}

unsafe extern "C" fn evaluate(
    user: *mut c_void,
    residuals: *mut f64,
    jacobian: *mut f64,
    parameters: *const f64,
) -> bool {
    let f = &mut *(user as *mut Function<'_>);
    let x = std::slice::from_raw_parts(parameters, f.parameters);
    let r = std::slice::from_raw_parts_mut(residuals, f.residuals);
    let j = (!jacobian.is_null())
        .then(|| std::slice::from_raw_parts_mut(jacobian, f.residuals * f.parameters));
    match catch_unwind(AssertUnwindSafe(|| (f.call)(x, r, j))) {
        Ok(is_defined) => is_defined,
        Err(panic) => {
            f.panic = Some(panic);
            false
        }
    }
}

/// A problem of least squares: parameters, and functions whose squared residuals are summed.
pub struct Problem<'a> {
    raw: *mut sys::weft_solve_problem,
    context: Rc<RawContext>,
    parameters: usize,
    functions: Vec<*mut Function<'a>>,
    marker: PhantomData<&'a mut ()>,
}

impl Drop for Problem<'_> {
    fn drop(&mut self) {
        if self.context.process.is_current() {
            unsafe { sys::weft_solve_problem_release(self.raw) }
        }
        for function in &self.functions {
            // Safety: made by Box::into_raw(), and the problem that used it is gone.
            drop(unsafe { Box::from_raw(*function) });
        }
    }
}

/// How a solve ended.
#[derive(Clone, Debug)]
pub struct Solution {
    pub converged: bool,
    /// "cost-tolerance", "max-iterations", ...
    pub termination: String,
    pub initial_cost: f64,
    pub final_cost: f64,
    pub iterations: u32,
    pub summary: String,
}

impl<'a> Problem<'a> {
    /// A problem of that many parameters.
    pub fn new(context: &Context, parameters: usize) -> Result<Problem<'a>> {
        let ctx = context.raw()?;
        let mut desc: sys::weft_solve_problem_desc = sys::zeroed();
        desc.parameter_count =
            u32::try_from(parameters).map_err(|_| Error::invalid("too many parameters"))?;
        let raw = context.0.check(unsafe { sys::weft_solve_problem_create(ctx, &desc) })?;
        Ok(Problem {
            raw,
            context: context.0.clone(),
            parameters,
            functions: Vec::new(),
            marker: PhantomData,
        })
    }

    /// Adds residuals that depend on all parameters. The closure gets the parameters, writes the
    /// residuals and, if it is asked for, the Jacobian row by row.
    pub fn add(
        &mut self,
        residuals: usize,
        call: impl FnMut(&[f64], &mut [f64], Option<&mut [f64]>) -> bool + 'a,
    ) -> Result<()> {
        self.context.process.check()?;
        let boxed: Box<Residuals<'a>> = Box::new(call);
        let function = Box::into_raw(Box::new(Function {
            call: boxed,
            residuals,
            parameters: self.parameters,
            panic: None,
        }));
        let mut desc: sys::weft_solve_function = sys::zeroed();
        desc.evaluate = Some(evaluate);
        desc.user = function as *mut c_void;
        desc.residual_count = u32::try_from(residuals).unwrap_or(0);
        desc.parameter_count = self.parameters as u32;
        self.functions.push(function);
        self.context
            .check_ok(unsafe { sys::weft_solve_add_function(self.raw, &desc, std::ptr::null()) })
    }

    /// Bounds of the parameters from `first` on.
    pub fn bounds(&mut self, first: usize, lower: &[f64], upper: &[f64]) -> Result<()> {
        self.context.process.check()?;
        if lower.len() != upper.len() || first + lower.len() > self.parameters {
            return Err(Error::new(
                crate::ErrorKind::Shape,
                "bounds for parameters that are not there",
            ));
        }
        let (first, count) = (first as u32, lower.len() as u32);
        self.context.check_ok(unsafe {
            sys::weft_solve_set_bounds(self.raw, first, count, lower.as_ptr(), upper.as_ptr())
        })
    }

    /// Solves from the start `x`, which becomes the solution. `method` as in `weft/solve.h`; None:
    /// Levenberg-Marquardt. A panic of a function is raised again here.
    pub fn solve(&mut self, x: &mut [f64], method: Option<&str>) -> Result<Solution> {
        self.context.process.check()?;
        if x.len() != self.parameters {
            return Err(Error::new(
                crate::ErrorKind::Shape,
                format!("a start of {} numbers for {} parameters", x.len(), self.parameters),
            ));
        }
        let mut options: sys::weft_solve_options = sys::zeroed();
        let name = method.map(c_text).transpose()?;
        if name.is_some()
            && !unsafe { sys::weft_solve_method_find(&mut options.method, c_pointer(&name)) }
        {
            return Err(Error::invalid(format!("there is no method '{}'", method.unwrap_or(""))));
        }
        let mut result: sys::weft_solve_result = sys::zeroed();
        // Safety: x has as many numbers as the problem; functions live as long as the problem.
        let ok = unsafe { sys::weft_solve(&mut result, x.as_mut_ptr(), self.raw, &options) };
        for function in &self.functions {
            if let Some(panic) = unsafe { (**function).panic.take() } {
                std::panic::resume_unwind(panic);
            }
        }
        self.context.check_ok(ok)?;
        // Safety: texts of the library, copied.
        let (termination, summary) = unsafe {
            (
                text(sys::weft_solve_termination_name(result.termination)),
                text(sys::weft_solve_summary(self.raw)),
            )
        };
        Ok(Solution {
            converged: result.converged,
            termination,
            initial_cost: result.initial_cost,
            final_cost: result.final_cost,
            iterations: result.iterations,
            summary,
        })
    }
}
