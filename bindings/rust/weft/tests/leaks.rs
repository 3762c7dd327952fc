// SPDX-License-Identifier: Apache-2.0
//! Thousands of objects leave nothing behind. Alone in its process, whose memory is measured.

use weft::*;

const DOUBLE: &str = "
    @group(0) @binding(0) var<storage, read> x : array<f32>;
    @group(0) @binding(1) var<storage, read_write> y : array<f32>;
    @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id : vec3u) {
        if id.x < arrayLength(&x) { y[id.x] = x[id.x] * 2.0; }
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

fn resident_bytes() -> usize {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap();
    text.split(' ').nth(1).unwrap().parse::<usize>().unwrap() * 4096
}

#[test]
fn thousands_of_objects_leave_nothing_behind() {
    let pool = options().open().unwrap();
    let device = cpu();
    let once = |i: usize| {
        let context = pool.context().unwrap();
        assert_eq!(double(&context, 64 + i % 7).unwrap()[1], 2.0);
        assert!(Execute::new("fn").run(&context).is_err());
        let pending =
            Execute::new(DOUBLE).input("x", &[1.0f32]).want::<f32>("y", 1).start(&context).unwrap();
        if i % 2 == 0 {
            drop(pending);
        } else {
            assert_eq!(block_on(pending).unwrap().slice::<f32>("y").unwrap(), [2.0]);
        }
        drop(context.data(&[0.0f32; 64]).unwrap());
        let t = Tensor::full::<f32>(&device, &[8], i as f64).unwrap();
        assert_eq!(t.add(&t).unwrap().max(None, false).unwrap().item().unwrap(), 2.0 * i as f64);
        assert!(t.reshape(&[3]).is_err());
    };
    (0..500).for_each(once);
    let live = device.memory().unwrap().0;
    let mut grown = usize::MAX;
    for _ in 0..4 {
        // A leak grows each time, what is compiled aside once.
        let before = resident_bytes();
        (0..2000).for_each(once);
        grown = resident_bytes().saturating_sub(before);
        if grown < 8 << 20 {
            break;
        }
    }
    assert!(grown < 8 << 20, "memory grew by {} bytes", grown);
    assert_eq!(device.memory().unwrap().0, live);
}
