// Barriers and workgroupUniformLoad.
var<workgroup> awi : atomic<i32>;
var<workgroup> awu : atomic<u32>;
var<workgroup> we : array<vec2<f32>, 4>;

fn use_storageBarrier() {
  storageBarrier();
}

fn use_textureBarrier() {
  textureBarrier();
}

fn use_workgroupBarrier() {
  workgroupBarrier();
}

fn use_workgroupUniformLoad() {
  let r0 : i32 = workgroupUniformLoad(&awi);
  let r1 : u32 = workgroupUniformLoad(&awu);
  _ = workgroupUniformLoad(&we);
}
