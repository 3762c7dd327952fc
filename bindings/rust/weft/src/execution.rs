// SPDX-License-Identifier: Apache-2.0
//! Executions that run: futures, to be awaited or waited for.

use std::future::Future;
use std::os::raw::c_void;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::{Context as Task, Poll, Wake, Waker};
use std::thread::{self, Thread};

use weft_sys as sys;

use crate::error::c_text;
use crate::process::Process;
use crate::{Element, Error, ErrorKind, PoolContext, Report, Result};

/// What the callback of the library tells the future.
#[derive(Default)]
struct Signal {
    has_ended: bool,
    waker: Option<Waker>,
}

type Shared = Arc<Mutex<Signal>>;

fn lock(shared: &Shared) -> MutexGuard<'_, Signal> {
    shared.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

unsafe extern "C" fn on_end(
    user: *mut c_void,
    _: *mut sys::weft_execution,
    _: *const sys::weft_execute_report,
) {
    let shared = Box::from_raw(user as *mut Shared);
    let waker = {
        let mut signal = lock(&shared);
        signal.has_ended = true;
        signal.waker.take()
    };
    if let Some(waker) = waker {
        let _ = catch_unwind(AssertUnwindSafe(|| waker.wake()));
    }
}

struct RawExecution {
    raw: *mut sys::weft_execution,
    process: Process,
    _context: PoolContext,
}

// Safety: executions may be used from any thread.
unsafe impl Send for RawExecution {}
unsafe impl Sync for RawExecution {}

impl Drop for RawExecution {
    fn drop(&mut self) {
        if self.process.is_current() {
            unsafe { sys::weft_execution_release(self.raw) }
        }
    }
}

/// An execution that waits, runs or has ended. Awaiting it gives its [`Outputs`]. Dropping it does
/// not cancel it.
pub struct Execution {
    inner: Arc<RawExecution>,
    shared: Shared,
}

impl Execution {
    pub(crate) fn start(
        context: PoolContext,
        ctx: *mut sys::weft_pool_context,
        mut desc: sys::weft_execute_desc,
    ) -> Result<Execution> {
        let shared = Shared::default();
        let user = Box::into_raw(Box::new(shared.clone()));
        desc.callback = Some(on_end);
        desc.user = user as *mut c_void;
        // Safety: inputs are copied before the call returns; outputs are memory of the execution.
        let raw = unsafe { sys::weft_execute_async(ctx, &desc) };
        if raw.is_null() {
            // Safety: without an execution the callback is not called.
            drop(unsafe { Box::from_raw(user) });
            return Err(Error::new(ErrorKind::Memory, "no memory for an execution"));
        }
        let inner = Arc::new(RawExecution { raw, process: Process::current(), _context: context });
        Ok(Execution { inner, shared })
    }

    /// Whether it has ended, with a result or with an error.
    pub fn is_done(&self) -> bool {
        !self.inner.process.is_current() || unsafe { sys::weft_execution_done(self.inner.raw) }
    }

    /// Cancels it: what waits ends at once, what runs when the device has finished it. False if it
    /// had ended before.
    pub fn cancel(&self) -> bool {
        self.inner.process.is_current() && unsafe { sys::weft_execution_cancel(self.inner.raw) }
    }

    /// Waits for its end.
    pub fn wait(self) -> Result<Outputs> {
        self.inner.process.check()?;
        unsafe { sys::weft_execution_wait(self.inner.raw, u64::MAX) };
        self.finish()
    }

    fn finish(&self) -> Result<Outputs> {
        let mut report: sys::weft_execute_report = sys::zeroed();
        self.inner.process.check()?;
        unsafe { sys::weft_execution_report(&mut report, self.inner.raw) };
        if report.error.kind != 0 {
            return Err(Error::from_pool(&report.error));
        }
        Ok(Outputs { inner: self.inner.clone(), report: Report::new(&report) })
    }
}

impl Future for Execution {
    type Output = Result<Outputs>;

    fn poll(self: Pin<&mut Self>, task: &mut Task<'_>) -> Poll<Self::Output> {
        if let Err(error) = self.inner.process.check() {
            return Poll::Ready(Err(error));
        }
        let mut signal = lock(&self.shared);
        if signal.has_ended {
            drop(signal);
            return Poll::Ready(self.finish());
        }
        signal.waker = Some(task.waker().clone());
        Poll::Pending
    }
}

/// What an execution computed, in its own memory.
pub struct Outputs {
    inner: Arc<RawExecution>,
    report: Report,
}

impl Outputs {
    /// Where it ran, and how long.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// The elements of an output that was asked for by [`crate::Execute::want`], without a copy.
    pub fn slice<T: Element>(&self, name: &str) -> Result<&[T]> {
        self.inner.process.check()?;
        let text = c_text(name)?;
        let mut size = 0u64;
        let data = unsafe { sys::weft_execution_output(self.inner.raw, text.as_ptr(), &mut size) };
        if data.is_null() {
            return Err(Error::new(ErrorKind::NotFound, format!("there is no output '{}'", name)));
        }
        let one = std::mem::size_of::<T>() as u64;
        if size % one != 0 {
            return Err(Error::new(
                ErrorKind::Type,
                format!("output '{}' has {} bytes, no whole number of elements", name, size),
            ));
        }
        // Safety: memory from malloc() that lives as long as the execution; nothing writes it.
        Ok(unsafe { std::slice::from_raw_parts(data as *const T, (size / one) as usize) })
    }

    /// A copy of the elements.
    pub fn vec<T: Element>(&self, name: &str) -> Result<Vec<T>> {
        Ok(self.slice(name)?.to_vec())
    }
}

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Waits for a future on this thread: for programs without a runtime of their own.
pub fn block_on<F: Future>(future: F) -> F::Output {
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut task = Task::from_waker(&waker);
    let mut future = Box::pin(future);
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut task) {
            return output;
        }
        thread::park();
    }
}
