// SPDX-License-Identifier: Apache-2.0
#![doc = include_str!("../README.md")]

mod context;
mod element;
mod error;
mod execute;
mod execution;
mod gpu;
mod model;
mod pool;
mod process;
mod solve;
mod tensor;

pub use context::{Context, ContextOptions, DeviceInfo};
pub use element::{Element, Scalar, F16};
pub use error::{Error, ErrorKind, Result};
pub use execute::{execute_compute, Execute, Report};
pub use execution::{block_on, Execution, Outputs};
pub use gpu::GpuBackend;
pub use model::{Answer, Generate, Model, ModelInfo, Session};
pub use pool::{Data, Device, Pool, PoolContext, PoolOptions, Quotas, Usage};
pub use solve::{fit, Fit, Guess, Parameter, Problem, Solution};
pub use tensor::Tensor;
