// SPDX-License-Identifier: Apache-2.0
//! Draws the Mandelbrot set with characters: `cargo run --example mandelbrot`.

use weft::{Execute, PoolContext};

const KERNEL: &str = "
override width : u32;
override height : u32;
@group(0) @binding(0) var<storage, read_write> steps : array<u32>;
@compute @workgroup_size(8, 8) fn main(@builtin(global_invocation_id) id : vec3u) {
    if id.x >= width || id.y >= height { return; }
    let c = vec2f(f32(id.x) / f32(width) * 3.0 - 2.2, f32(id.y) / f32(height) * 2.4 - 1.2);
    var z = vec2f();
    var n = 0u;
    while n < 200u && dot(z, z) < 4.0 {
        z = vec2f(z.x * z.x - z.y * z.y, 2.0 * z.x * z.y) + c;
        n++;
    }
    steps[id.y * width + id.x] = n;
}";

fn main() -> weft::Result<()> {
    let (width, height) = (72usize, 28usize);
    let mut steps = vec![0u32; width * height];
    Execute::new(KERNEL)
        .constant("width", width as f64)
        .constant("height", height as f64)
        .output("steps", &mut steps)
        .invocations(width as u32, height as u32, 1)
        .run(&PoolContext::shared()?)?;
    for row in steps.chunks(width) {
        let line: String =
            row.iter().map(|n| b" .:-=+*#%@"[(*n as usize * 9) / 200] as char).collect();
        println!("{}", line.trim_end());
    }
    Ok(())
}
