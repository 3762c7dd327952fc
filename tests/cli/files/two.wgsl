// Two compute entry points and one of another stage.
@id(3) override wide = 64u;
@group(0) @binding(0) var<storage, read_write> data : array<u32>;
var<workgroup> shared_ : array<u32, 32>;

@compute @workgroup_size(wide) fn first(@builtin(global_invocation_id) id : vec3u) {
  data[id.x] = id.x;
}

@compute @workgroup_size(32) fn second(@builtin(local_invocation_index) i : u32) {
  shared_[i] = data[i];
  workgroupBarrier();
  data[i] = shared_[31 - i];
}

@fragment fn paint() -> @location(0) vec4f { return vec4f(); }
