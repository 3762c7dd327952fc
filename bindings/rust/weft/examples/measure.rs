// SPDX-License-Identifier: Apache-2.0
//! What the crate adds to calls of the library: `bench/bindings/languages.sh` runs it.
//!
//! A small known kernel through weft_execute() and through `Execute`, microseconds a call; 64 MB read
//! back to a slice beside memcpy, with the growth of peak memory. Players take turns; medians.

use std::time::Instant;

use weft::{Context, ContextOptions, Execute, PoolContext, Tensor};
use weft_sys as sys;

const KERNEL: &str = "
@group(0) @binding(0) var<storage, read> x : array<f32>;
@group(0) @binding(1) var<storage, read_write> y : array<f32>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id : vec3u) {
    if id.x < arrayLength(&y) { y[id.x] = x[id.x] * 2.0; }
}\0";

fn microseconds(count: u32, mut call: impl FnMut()) -> f64 {
    let start = Instant::now();
    (0..count).for_each(|_| call());
    start.elapsed().as_secs_f64() * 1e6 / f64::from(count)
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(|a, b| a.partial_cmp(b).expect("numbers"));
    values[values.len() / 2]
}

/// The same as C would write it.
fn in_c(ctx: *mut sys::weft_pool_context, x: &[f32], y: &mut [f32]) {
    let mut input: sys::weft_execute_input = sys::zeroed();
    input.name = "x\0".as_ptr() as *const _;
    input.type_ = sys::WEFT_SCALAR_F32;
    input.shape[0] = x.len() as u64;
    input.data = x.as_ptr() as *const _;
    let mut output: sys::weft_execute_output = sys::zeroed();
    output.name = "y\0".as_ptr() as *const _;
    output.type_ = sys::WEFT_SCALAR_F32;
    output.shape[0] = y.len() as u64;
    output.data = y.as_mut_ptr() as *mut _;
    let mut desc: sys::weft_execute_desc = sys::zeroed();
    desc.wgsl = KERNEL.as_ptr() as *const _;
    desc.inputs = &input;
    desc.input_count = 1;
    desc.outputs = &output;
    desc.output_count = 1;
    assert!(unsafe { sys::weft_execute(ctx, &desc, std::ptr::null_mut()) });
}

fn calls() -> weft::Result<()> {
    std::env::set_var("WEFT_ADAPTER", "cpu");
    let shared = PoolContext::shared()?;
    let raw = unsafe { sys::weft_pool_shared() };
    let text = &KERNEL[..KERNEL.len() - 1];
    let x = vec![1.0f32; 64];
    let mut y = vec![0.0f32; 64];
    let (mut c, mut rust) = (Vec::new(), Vec::new());
    for _ in 0..60 {
        c.push(microseconds(200, || in_c(raw, &x, &mut y)));
        rust.push(microseconds(200, || {
            Execute::new(text).input("x", &x).output("y", &mut y).run(&shared).expect("runs");
        }));
    }
    assert_eq!(y[63], 2.0);
    println!("C {:.1}", median(c));
    println!("Rust {:.1}", median(rust));
    Ok(())
}

fn peak() -> f64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find(|l| l.starts_with("VmHWM")).unwrap_or("VmHWM: 0 kB");
    line.split_whitespace().nth(1).and_then(|n| n.parse().ok()).unwrap_or(0.0) * 1024.0 / 1e6
}

fn read_back() -> weft::Result<()> {
    let count = 16 << 20;
    let context =
        Context::open(&ContextOptions { adapter: Some("cpu".into()), ..Default::default() })?;
    let t = Tensor::full::<f32>(&context, &[count as u64], 1.0)?;
    let t = t.add(&t)?;
    let source = vec![1.0f32; count];
    t.to_vec::<f32>()?;
    let (mut read, mut copy) = (Vec::new(), Vec::new());
    for _ in 0..15 {
        let mut out = vec![0.0f32; count];
        read.push(microseconds(1, || t.read(&mut out).expect("reads")));
        assert_eq!(out[count - 1], 2.0);
        let mut out = vec![0.0f32; count];
        copy.push(microseconds(1, || out.copy_from_slice(&source)));
        assert_eq!(out[count - 1], 1.0);
    }
    std::fs::write("/proc/self/clear_refs", "5").ok();
    let before = peak();
    let out = t.to_vec::<f32>()?;
    let grown = peak() - before;
    assert_eq!(out[0], 2.0);
    let (read, copy) = (median(read) / 1e3, median(copy) / 1e3);
    println!(
        "64 MB read {:.1} ms memcpy {:.1} ms ratio {:.2} peak +{:.1} MB",
        read,
        copy,
        read / copy,
        grown
    );
    Ok(())
}

fn main() -> weft::Result<()> {
    calls()?;
    read_back()
}
