// a*2 + b: sum
@group(0) @binding(0) var<storage, read> inputs : array<f32>;
@group(0) @binding(1) var<storage, read_write> outputs : array<f32>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) global_id: vec3<u32>) {
    let idx = global_id.x;
    let a = inputs[idx * 2 + 0];
    let b = inputs[idx * 2 + 1];
    let v0 = a * 2.0;
    let v1 = v0 + b;
    outputs[idx] = v1;  // sum
}
