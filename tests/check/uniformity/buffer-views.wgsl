// A view of a buffer is memory of that buffer, at an offset that may differ.
requires buffer_view;
@group(0) @binding(0) var<storage> bytes : buffer;
@group(0) @binding(1) var<storage, read_write> changing : buffer;
var<private> own : u32;

fn views() {
  let p = bufferView<vec4u>(&bytes, 16);
  if (*p).x > 1 { workgroupBarrier(); }
  let q = bufferView<vec4u>(&bytes, own);
  if q.x > 1 { workgroupBarrier(); }                                  // error workgroup_uniformity:
  if bufferView<vec4u>(&changing, 0).x > 1 { workgroupBarrier(); }    // error workgroup_uniformity:
  *bufferView<u32>(&changing, own) = 1;
  workgroupBarrier();
}
