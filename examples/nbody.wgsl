// SPDX-License-Identifier: Apache-2.0
//
// nbody - one step of bodies that attract each other, every pair of them.
//
// in     step: time step and softening; now: the bodies
// out    next: the bodies after the step
// groups ceil(bodies / 64)

struct Body {
  position : vec3f,
  mass     : f32,
  velocity : vec3f,
}

struct Step {
  seconds   : f32,
  softening : f32,      // keeps two bodies that meet from flying apart
}

@group(0) @binding(0) var<uniform> step : Step;
@group(0) @binding(1) var<storage, read> now : array<Body>;
@group(0) @binding(2) var<storage, read_write> next : array<Body>;

const group_size = 64u;

// The bodies that the whole workgroup looks at together: xyz and mass.
var<workgroup> seen : array<vec4f, group_size>;

// Acceleration of something at `at` by one other body, in units where the
// constant of gravitation is 1.
fn pull(at : vec3f, other : vec4f) -> vec3f {
  let way = other.xyz - at;
  let distance2 = dot(way, way) + step.softening * step.softening;
  let inverse = inverseSqrt(distance2);
  return way * (other.w * inverse * inverse * inverse);
}

@compute @workgroup_size(group_size)
fn nbody(@builtin(global_invocation_id) id : vec3u,
         @builtin(local_invocation_index) lane : u32) {
  let count = arrayLength(&now);
  let me = now[min(id.x, count - 1u)];
  var acceleration = vec3f();

  for (var start = 0u; start < count; start += group_size) {
    // Past the end there are bodies without mass; they exert no force.
    let body = now[min(start + lane, count - 1u)];
    seen[lane] = vec4f(body.position, select(0.0, body.mass, start + lane < count));
    workgroupBarrier();
    for (var i = 0u; i < group_size; i++) {
      acceleration += pull(me.position, seen[i]);
    }
    workgroupBarrier();
  }

  if id.x < count {
    let velocity = me.velocity + acceleration * step.seconds;
    next[id.x] = Body(me.position + velocity * step.seconds, me.mass, velocity);
  }
}
