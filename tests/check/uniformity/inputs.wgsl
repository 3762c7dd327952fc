// Inputs of entry points: a few are uniform.
enable subgroups;

@compute @workgroup_size(64)
fn uniform_ones(@builtin(workgroup_id) id : vec3u,
                @builtin(num_workgroups) count : vec3u,
                @builtin(subgroup_size) size : u32,
                @builtin(num_subgroups) groups : u32) {
  if id.x > 1 { workgroupBarrier(); }
  if count.x > 1 { workgroupBarrier(); }
  if size > 1 { workgroupBarrier(); }
  if groups > 1 { workgroupBarrier(); }
}

@compute @workgroup_size(64)
fn other_ones(@builtin(local_invocation_id) local : vec3u,
              @builtin(local_invocation_index) index : u32,
              @builtin(global_invocation_id) global : vec3u,
              @builtin(global_invocation_index) global_index : u32,
              @builtin(subgroup_invocation_id) lane : u32,
              @builtin(subgroup_id) group : u32,
              @builtin(workgroup_index) workgroup : u32) {
  if local.x > 1 { workgroupBarrier(); }       // error workgroup_uniformity:
  if index > 1 { workgroupBarrier(); }         // error workgroup_uniformity:
  if global.x > 1 { workgroupBarrier(); }      // error workgroup_uniformity:
  if global_index > 1 { workgroupBarrier(); }  // error workgroup_uniformity:
  if lane > 1 { workgroupBarrier(); }          // error workgroup_uniformity:
  if group > 1 { workgroupBarrier(); }         // error workgroup_uniformity:
  if workgroup > 1 { workgroupBarrier(); }     // error workgroup_uniformity:
}

// A structure is uniform as a whole or not at all.
struct Good {
  @builtin(workgroup_id) id : vec3u,
  @builtin(num_workgroups) count : vec3u,
}
struct Mixed {
  @builtin(num_subgroups) groups : u32,
  @builtin(local_invocation_index) index : u32,
}
@compute @workgroup_size(64)
fn structures(good : Good, mixed : Mixed) {
  if good.id.x > 1 { workgroupBarrier(); }
  if mixed.groups > 1 { workgroupBarrier(); }    // error workgroup_uniformity:
}

@fragment
fn fragment_inputs(@builtin(position) position : vec4f,
                   @builtin(front_facing) front : bool,
                   @builtin(sample_index) sample : u32,
                   @builtin(sample_mask) mask : u32,
                   @builtin(subgroup_size) size : u32,
                   @location(0) color : vec4f) {
  if position.x > 1 { _ = dpdx(1.0); }         // error derivative_uniformity:
  if front { _ = dpdx(1.0); }                  // error derivative_uniformity:
  if sample > 1 { _ = dpdx(1.0); }             // error derivative_uniformity:
  if mask > 1 { _ = dpdx(1.0); }               // error derivative_uniformity:
  if size > 1 { _ = dpdx(1.0); }               // error derivative_uniformity:
  if color.x > 1 { _ = dpdx(1.0); }            // error derivative_uniformity:
  _ = dpdx(color);
}

// A subgroup is of one subgroup_id.
@compute @workgroup_size(64)
fn inside_a_subgroup(@builtin(subgroup_id) group : u32,
                     @builtin(subgroup_invocation_id) lane : u32,
                     @builtin(workgroup_id) id : vec3u) {
  if group > 1 { _ = subgroupAny(true); }
  if id.x > 1 { _ = subgroupAny(true); }
  if lane > 1 { _ = subgroupAny(true); }       // error subgroup_uniformity:
}
