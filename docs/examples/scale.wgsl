// SPDX-License-Identifier: Apache-2.0
//
// A kernel for docs/cli.md to reflect on.
@id(1) override width : u32 = 64;

struct Params {
  factor : vec3<f32>,
  bias : f32,
}
struct Data {
  count : u32,
  values : array<vec4<f32>>,
}
@group(0) @binding(0) var<uniform> params : Params;
@group(0) @binding(1) var<storage, read_write> data : Data;
var<workgroup> tile : array<f32, width>;

@compute @workgroup_size(width)
fn scale(@builtin(global_invocation_id) id : vec3<u32>,
         @builtin(local_invocation_index) lane : u32) {
  if id.x < data.count {
    let v = data.values[id.x];
    tile[lane] = v.w;
    data.values[id.x] = vec4<f32>(v.xyz * params.factor + params.bias, tile[lane]);
  }
}
