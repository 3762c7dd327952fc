// Views of opaque buffers: offsets are aligned down, lengths follow from sizes.
// run: groups 1, in a = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12],
//   out b = [3, 5, 48, 8, 4, 9, 2, 7, 3, 4, 1, 12, 12, 8, 0], out c = [0, 100, 0, 0]

requires buffer_view;

@group(0) @binding(0) var<storage> a : buffer;
@group(0) @binding(1) var<storage, read_write> b : array<u32>;
@group(0) @binding(2) var<storage, read_write> c : buffer<16>;
var<workgroup> w : buffer<32>;

struct Tail { n : u32, rest : array<u32> }

fn length(p : ptr<storage, buffer, read_write>) -> u32 {
  return bufferLength(p);
}

fn whole(p : ptr<storage, buffer>) -> u32 {
  return bufferLength(p);
}

fn narrow(p : ptr<storage, buffer<8>, read_write>) -> u32 {
  return length(p);
}

@compute @workgroup_size(1)
fn main(@builtin(local_invocation_index) z : u32) {
  b[0] = *bufferView<u32>(&a, 8 + z);
  b[1] = (*bufferView<vec4u>(&a, 16 + z + 3)).x;
  b[2] = whole(&a);
  b[3] = narrow(&c);
  let p = bufferView<array<u32>>(&a, 32 + z);
  b[4] = arrayLength(p);
  b[5] = p[z];
  let q = bufferArrayView<array<u32>>(&a, 24 + z, 8 + z);
  b[6] = arrayLength(q);
  b[7] = (*q)[z];
  let t = bufferArrayView<Tail>(&a, z, 16);
  b[8] = arrayLength(&t.rest);
  b[9] = t.n + t.rest[z + 1];
  let x = bufferView<array<u32, 4>>(&w, 16 + z);
  x[1] = 1;
  b[10] = *bufferView<u32>(&w, 20 + z);
  b[11] = *bufferView<u32>(&a, 1000 + z);
  b[12] = (*bufferView<vec4u>(&a, 0x7fffffff + z)).w;
  b[13] = bufferView<array<vec2u>>(&a, 24 + z)[z].y;
  b[14] = bufferView<array<u32>>(&w, 28 + z)[z + 5];
  *bufferView<u32>(&c, 4 + z) = 100;
}
