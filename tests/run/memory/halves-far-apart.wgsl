// Lanes take numbers of 16 bits from far apart, where some might have left.
// run: groups 1, in cfg = [0], out b = [128*31], out own = [128*0]
enable f16;
struct Part { f1 : u32, f4 : vec4<f32> }
struct Cfg { f0 : u32 }
@group(0) @binding(0) var<uniform> cfg : Cfg;
@group(0) @binding(3) var<storage, read_write> b : array<u32>;
@group(0) @binding(9) var<storage, read_write> own : array<atomic<i32>>;
const table = array<u32, 6>(65536u, 65536u, 33u, 4u, 5u, 6u);
var<workgroup> halves : array<mat4x3<f16>, 129>;
var<workgroup> parts : array<Part, 128>;

@compute @workgroup_size(128, 1, 1)
fn main(@builtin(global_invocation_id) gid : vec3<u32>,
        @builtin(local_invocation_id) lid : vec3<u32>,
        @builtin(local_invocation_index) li : u32) {
  workgroupBarrier();
  if lid.y != (parts[li].f1 % table[(u32(1) + cfg.f0) % 6u]) {
    let x = atomicMin(&own[gid.x], 23);
    return;
  }
  b[gid.x] = 31 + u32(halves[li][1][2]);
}
