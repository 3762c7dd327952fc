// A warning about one entry point, and another one to run.
diagnostic(warning, derivative_uniformity);
@group(0) @binding(0) var<storage, read_write> n : u32;

@fragment fn paint(@location(0) x : f32) -> @location(0) vec4f {
  if x > 0 {
    return vec4f(dpdx(x));
  }
  return vec4f();
}
@compute @workgroup_size(1) fn run() { n = 3; }
