// workgroupUniformLoad is a barrier that gives all the same value, from one place.
@group(0) @binding(0) var<storage> same : array<u32>;
var<private> own : u32;
var<workgroup> scalar : u32;
var<workgroup> row : array<u32, 4>;

fn its_result_is_uniform() {
  scalar = own;
  if workgroupUniformLoad(&scalar) > 1 {
    workgroupBarrier();
  }
  if workgroupUniformLoad(&row[same[0]]) > 1 {
    workgroupBarrier();
  }
}

fn its_argument_must_be() {
  _ = workgroupUniformLoad(&row[own]);          // error workgroup_uniformity@28: this argument of 'workgroupUniformLoad'
}

fn so_must_control_flow() {
  if own > 1 {
    _ = workgroupUniformLoad(&scalar);          // error workgroup_uniformity@9: 'workgroupUniformLoad' must be called in uniform control flow
  }
}

// One error is enough.
fn neither_is() {
  if own > 1 {
    _ = workgroupUniformLoad(&row[own]);        // error workgroup_uniformity@9:
  }
}

// What an index needs is asked for where it is evaluated.
fn in_an_index() {
  _ = row[workgroupUniformLoad(&scalar)];
  if own > 1 {
    row[workgroupUniformLoad(&scalar)] = 1;     // error workgroup_uniformity@9:
  }
}
