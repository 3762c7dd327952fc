requires immediate_address_space;
struct Push { a : vec2f, b : u32 }
var<immediate> push : Push;
@group(0) @binding(0) var<storage, read_write> out : array<f32, 3>;
@compute @workgroup_size(1) fn pushed() {
  out = array<f32, 3>(push.a.x, push.a.y, f32(push.b));
}
