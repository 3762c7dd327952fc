// SPDX-License-Identifier: Apache-2.0
//! Objects of the crate: lifetimes, threads, forks, futures, what stands on devices.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context as Task, Poll, Wake, Waker};
use std::time::Duration;

use weft::*;

extern "C" {
    fn fork() -> i32;
    fn waitpid(pid: i32, status: *mut i32, options: i32) -> i32;
    fn _exit(status: i32) -> !;
}

const DOUBLE: &str = "
    @group(0) @binding(0) var<storage, read> x : array<f32>;
    @group(0) @binding(1) var<storage, read_write> y : array<f32>;
    @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id : vec3u) {
        if id.x < arrayLength(&x) { y[id.x] = x[id.x] * 2.0; }
    }";
const ENDLESS: &str = "
    @group(0) @binding(0) var<storage, read_write> v : array<u32>;
    @compute @workgroup_size(1) fn main() {
        loop { v[0] = v[0] * 3u + 1u; if v[0] == 7u { break; } }
    }";

fn options() -> PoolOptions {
    PoolOptions::new().adapter("cpu").unmeasured()
}

fn cpu() -> Context {
    Context::open(&ContextOptions { adapter: Some("cpu".into()), ..Default::default() }).unwrap()
}

fn double(context: &PoolContext, n: usize) -> Result<Vec<f32>> {
    let x: Vec<f32> = (0..n).map(|i| i as f32).collect();
    let mut y = vec![0.0f32; n];
    Execute::new(DOUBLE).input("x", &x).output("y", &mut y).run(context)?;
    Ok(y)
}

#[test]
fn arrays_of_every_type_go_through() {
    std::env::set_var("WEFT_ADAPTER", "cpu");
    assert_eq!(execute_compute(&[1.0f32, 2.0], DOUBLE, (0, 0, 0)).unwrap(), [2.0, 4.0]);
    assert_eq!(execute_compute(&[0.5f64, 2.0], DOUBLE, (1, 1, 1)).unwrap(), [1.0, 4.0]);
    let kernel = |t: &str| {
        format!(
            "@group(0) @binding(0) var<storage, read_write> v : array<{}>;
             @compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id : vec3u) {{
                 if id.x < arrayLength(&v) {{ v[id.x] = v[id.x] + v[id.x]; }}
             }}",
            t
        )
    };
    assert_eq!(execute_compute(&[-3i32, 4], &kernel("i32"), (0, 0, 0)).unwrap(), [-6, 8]);
    assert_eq!(execute_compute(&[3u32, 4], &kernel("u32"), (1, 0, 0)).unwrap(), [6, 8]);
    let half = format!("enable f16;\n{}", kernel("f16"));
    assert_eq!(execute_compute(&[F16(0x3c00)], &half, (1, 1, 1)).unwrap(), [F16(0x4000)]);
    let wide = format!("enable weft_f64;\n{}", kernel("f64"));
    assert_eq!(execute_compute(&[0.1f64], &wide, (1, 1, 1)).unwrap(), [0.2]);
    let none = execute_compute::<f32>(&[], DOUBLE, (1, 1, 1)).unwrap_err();
    assert_eq!(none.kind(), ErrorKind::Shape);
    assert_eq!(execute_compute(&[1i32], DOUBLE, (1, 1, 1)).unwrap_err().kind(), ErrorKind::Type);
    assert_eq!(execute_compute(&[1i32], "a\0b", (1, 1, 1)).unwrap_err().kind(), ErrorKind::Invalid);
}

#[test]
fn every_kind_of_error_has_its_name() {
    let names: Vec<_> = ErrorKind::all().iter().map(|k| k.name()).collect();
    assert_eq!(names[0], "unsupported");
    assert_eq!(names[13], "device-lost");
    assert_eq!(names[15], "internal");
    assert_eq!(names.len(), 16);
}

#[test]
fn a_context_may_outlive_its_pool_and_data_its_context() {
    let pool = options().open().unwrap();
    assert_eq!(pool.devices().unwrap()[0].backend, "cpu");
    let context = pool.context().unwrap();
    drop(pool);
    assert_eq!(double(&context, 3).unwrap(), [0.0, 2.0, 4.0]);
    let data = context.data(&[1.0f32, 2.0]).unwrap();
    let scale = DOUBLE.replace("read> x", "read_write> x").replace("y[id.x] = ", "x[id.x] = ");
    let scale = scale.replace("@group(0) @binding(1) var<storage, read_write> y : array<f32>;", "");
    Execute::new(&scale).resident_output("x", &data).run(&context).unwrap();
    drop(context);
    let mut out = [0.0f32; 2];
    data.read(&mut out, 0).unwrap();
    assert_eq!(out, [2.0, 4.0]);
    data.write(&[7.0f32], 1).unwrap();
    data.read(&mut out[1..], 1).unwrap();
    assert_eq!(out, [2.0, 7.0]);
    assert_eq!(data.write(&[1.0f32; 3], 0).unwrap_err().kind(), ErrorKind::Shape);
    assert_eq!(data.read(&mut out, usize::MAX / 4).unwrap_err().kind(), ErrorKind::Shape);
}

#[test]
fn threads_share_a_context() {
    let context = options().open().unwrap().context().unwrap();
    let threads: Vec<_> = (1..9)
        .map(|t| {
            let context = context.clone();
            std::thread::spawn(move || {
                for i in 0..50 {
                    let n = t * 10 + i;
                    assert_eq!(double(&context, n).unwrap()[n - 1], 2.0 * (n - 1) as f32);
                }
            })
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
    assert_eq!(context.usage().unwrap().executions, 400);
}

#[test]
fn a_fork_gets_errors_and_its_parent_goes_on() {
    let pool = options().open().unwrap();
    let context = pool.context().unwrap();
    let device = cpu();
    let tensor = Tensor::new(&device, &[1.0f32], &[1]).unwrap();
    let data = context.data(&[1.0f32]).unwrap();
    double(&context, 3).unwrap();
    let pid = unsafe { fork() };
    if pid == 0 {
        let is_refused = |kind: Option<ErrorKind>| kind == Some(ErrorKind::Unsupported);
        let all = is_refused(double(&context, 3).err().map(|e| e.kind()))
            && is_refused(pool.context().err().map(|e| e.kind()))
            && is_refused(tensor.relu().err().map(|e| e.kind()))
            && is_refused(data.read(&mut [0.0f32], 0).err().map(|e| e.kind()));
        drop((pool, context, tensor, device, data));
        unsafe { _exit(if all { 0 } else { 1 }) };
    }
    let mut status = -1;
    assert_eq!(unsafe { waitpid(pid, &mut status, 0) }, pid);
    assert_eq!(status, 0);
    assert_eq!(double(&context, 2).unwrap(), [0.0, 2.0]);
    assert_eq!(tensor.item().unwrap(), 1.0);
}

struct Never;

impl Wake for Never {
    fn wake(self: Arc<Self>) {
        panic!("a waker that panics must not end the process");
    }
}

#[test]
fn executions_are_futures() {
    let context = options().open().unwrap().context().unwrap();
    let x: Vec<f32> = (0..1000).map(|i| i as f32).collect();
    let all: Vec<_> = (0..50)
        .map(|_| {
            Execute::new(DOUBLE).input("x", &x).want::<f32>("y", 1000).start(&context).unwrap()
        })
        .collect();
    for execution in all {
        let outputs = block_on(execution).unwrap();
        assert_eq!(outputs.slice::<f32>("y").unwrap()[999], 1998.0);
        assert_eq!(outputs.slice::<f32>("z").unwrap_err().kind(), ErrorKind::NotFound);
        assert!(outputs.report().total > Duration::ZERO);
    }
    let mut late =
        Execute::new(DOUBLE).input("x", &x).want::<f32>("y", 1000).start(&context).unwrap();
    let waker = Waker::from(Arc::new(Never));
    let first = Pin::new(&mut late).poll(&mut Task::from_waker(&waker));
    if let Poll::Ready(outputs) = first {
        outputs.unwrap();
    } else {
        assert_eq!(late.wait().unwrap().vec::<f32>("y").unwrap()[1], 2.0);
    }
    let mut y = [0.0f32; 2];
    let error =
        Execute::new(DOUBLE).input("x", &x).output("y", &mut y).start(&context).err().unwrap();
    assert_eq!(error.kind(), ErrorKind::Invalid);
}

#[test]
fn a_kernel_that_hangs_is_a_timeout() {
    let pool = options().dispatch_deadline(Duration::from_millis(2000)).open().unwrap();
    let context = pool.context().unwrap();
    let mut v = [0u32];
    let error = Execute::new(ENDLESS).output("v", &mut v).no_retry().run(&context).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Timeout);
    assert_eq!(double(&context, 2).unwrap(), [0.0, 2.0]);
    let none = PoolOptions::new().adapter("no such device").unmeasured().open().unwrap();
    assert!(none.devices().unwrap().is_empty());
    assert!(double(&none.context().unwrap(), 2).is_err());
}

#[test]
fn tensors_and_slices_compute() {
    let context = cpu();
    assert_eq!(context.device().unwrap().backend, "cpu");
    let a = Tensor::new(&context, &[1.0f32, 2.0, 3.0, 4.0], &[2, 2]).unwrap();
    let b = Tensor::full::<f32>(&context, &[2, 1], 1.0).unwrap();
    assert_eq!(a.matmul(&b).unwrap().to_vec::<f32>().unwrap(), [3.0, 7.0]);
    assert_eq!(
        a.transpose(0, 1).unwrap().narrow(0, 1, 1).unwrap().to_vec::<f32>().unwrap(),
        [2.0, 4.0]
    );
    assert_eq!(a.mean(Some(&[-1]), true).unwrap().shape(), [2, 1]);
    assert_eq!(a.cast::<i32>().unwrap().argmax(1).unwrap().to_vec::<i32>().unwrap(), [1, 1]);
    assert_eq!(format!("{:?}", a), "Tensor(f32 [2, 2])");
    let same = Tensor::concat(&[&a, &a.clone()], 0).unwrap();
    assert_eq!(same.shape(), [4, 2]);
    assert_eq!(a.matmul(&same.reshape(&[8]).unwrap()).unwrap_err().kind(), ErrorKind::Shape);
    assert_eq!(a.to_vec::<i32>().unwrap_err().kind(), ErrorKind::Type);
    assert_eq!(a.read(&mut [0.0f32; 3]).unwrap_err().kind(), ErrorKind::Shape);
    assert_eq!(Tensor::new(&context, &[1.0f32], &[2]).unwrap_err().kind(), ErrorKind::Shape);
    let other = cpu();
    let c = Tensor::scalar(&other, 1.0).unwrap();
    assert_eq!(a.add(&c).unwrap_err().kind(), ErrorKind::Invalid);
    assert!(GpuBackend::is_available());
    let gpu =
        GpuBackend::open(&ContextOptions { adapter: Some("cpu".into()), ..Default::default() })
            .unwrap();
    assert_eq!(gpu.matmul(&[1.0, 2.0], &[3.0, 4.0], 2, 1, 2).unwrap(), [3.0, 4.0, 6.0, 8.0]);
    let norm = gpu.rmsnorm(&[3.0, 4.0, 6.0, 8.0], &[1.0, 2.0], 0.0001).unwrap();
    assert!(
        (norm[1] - 2.0 * 4.0 / 12.5f32.sqrt()).abs() < 1e-3
            && (norm[2] - 6.0 / 50f32.sqrt()).abs() < 1e-3
    );
    let mut x = [0.0, 0.0, 1.0, 1.0];
    gpu.softmax(&mut x, 2).unwrap();
    assert_eq!(x, [0.5; 4]);
    assert_eq!(gpu.softmax(&mut x, 3).unwrap_err().kind(), ErrorKind::Shape);
}

#[test]
fn curves_are_fitted_and_residuals_minimised() {
    let context = cpu();
    let x: Vec<f64> = (0..30).map(|i| i as f64 / 5.0).collect();
    let y: Vec<f64> = x.iter().map(|x| 2.0 * (1.5 * x).sin() + 0.5).collect();
    let guess =
        Guess { name: "w".into(), start: Some(1.4), bounds: Some((1.0, 2.0)), fixed: false };
    let fit = fit(&context, "y = a*sin(w*x) + c", &[("x", &x), ("y", &y)], &[guess]).unwrap();
    let w = fit.parameters.iter().find(|p| p.name == "w").unwrap();
    assert!(fit.converged && (w.value - 1.5).abs() < 1e-6, "{}", fit.summary);
    assert!(fit.model.iter().zip(&y).all(|(a, b)| (a - b).abs() < 1e-6));
    let wrong = weft::fit(&context, "a*(x", &[("x", &x), ("y", &y)], &[]).unwrap_err();
    assert!(wrong.message().contains("1:") || !wrong.message().is_empty());
    let mut calls = 0;
    let mut point = [-1.2, 1.0];
    {
        let mut problem = Problem::new(&context, 2).unwrap();
        problem
            .add(2, |p, r, j| {
                calls += 1;
                r[0] = 10.0 * (p[1] - p[0] * p[0]);
                r[1] = 1.0 - p[0];
                if let Some(j) = j {
                    j.copy_from_slice(&[-20.0 * p[0], 10.0, -1.0, 0.0]);
                }
                true
            })
            .unwrap();
        problem.bounds(0, &[-5.0, -5.0], &[5.0, 5.0]).unwrap();
        let solution = problem.solve(&mut point, None).unwrap();
        assert!(solution.converged && solution.final_cost < 1e-12, "{}", solution.summary);
        assert_eq!(problem.solve(&mut [0.0], None).unwrap_err().kind(), ErrorKind::Shape);
        assert_eq!(
            problem.solve(&mut point, Some("magic")).unwrap_err().kind(),
            ErrorKind::Invalid
        );
    }
    assert!(calls > 2 && (point[0] - 1.0).abs() < 1e-6);
    let mut problem = Problem::new(&context, 1).unwrap();
    problem.add(1, |_, _, _| panic!("mine")).unwrap();
    let caught =
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| problem.solve(&mut [1.0], None)));
    assert_eq!(*caught.unwrap_err().downcast::<&str>().unwrap(), "mine");
}

#[test]
fn a_model_answers() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../tests/model/seeds/sentence.gguf");
    let bytes = std::fs::read(path).unwrap();
    std::env::set_var("WEFT_ADAPTER", "cpu");
    let model = Model::new_with_gpu(&bytes).unwrap();
    assert!(model.info().unwrap().generates);
    let mut session = model.session(0).unwrap();
    let options = Generate { temperature: Some(0.0), ..Default::default() };
    let mut pieces = Vec::new();
    let answer = session
        .generate_with("Hello", &options, |piece| {
            pieces.push(piece.to_string());
            true
        })
        .unwrap();
    assert_eq!(pieces.concat(), answer.text);
    assert!(!answer.text.is_empty() && answer.stop == "end", "{:?}", answer);
    session.clear();
    let short = session.generate_with("Hello", &options, |_| false).unwrap();
    assert_eq!(short.stop, "caller");
    assert_eq!(Model::new_with_gpu(b"not a model").err().unwrap().kind(), ErrorKind::Format);
    let missing = Model::open(&cpu(), "/no/such/file.gguf").err().unwrap();
    assert!(matches!(missing.kind(), ErrorKind::NotFound | ErrorKind::Io), "{}", missing);
    drop(model);
    assert_eq!(session.generate("Hello", &options).unwrap().text, answer.text);
}
