// Views of buffers: what they may be, where they may lie.
requires buffer_view;
struct S { a : u32, b : array<vec4<f32>> }
struct A { a : atomic<u32> }
@group(0) @binding(0) var<storage, read_write> any : buffer;
@group(0) @binding(1) var<storage> fixed : buffer<64>;
@group(0) @binding(2) var<uniform> uni : buffer<32>;
var<workgroup> wg : buffer<128>;

fn accepted(o : u32, p : ptr<storage, buffer, read_write>) {
  let a : ptr<storage, vec4<f32>, read_write> = bufferView<vec4<f32>>(&any, o);
  *a = vec4f();
  *bufferView<u32>(p, 4) = 1;
  let b = bufferView<array<u32>>(&fixed, 16);
  let c = bufferArrayView<array<f32>>(&any, o, 64);
  let d = bufferArrayView<S>(&any, 0, 16 + 32);
  let e = bufferView<vec2<u32>>(&uni, 24);
  let f = bufferView<array<vec4<i32>, 8>>(&wg, 0);
  _ = bufferLength(&any) + bufferLength(&fixed) + bufferLength(p) + arrayLength(b);
}

fn types(o : u32) {
  _ = bufferView<bool>(&any, o);           // error buffer_view: a buffer cannot be viewed as 'bool'
  _ = bufferView<A>(&any, o);              // error buffer_view: it contains an atomic
  _ = bufferView<buffer>(&any, o);         // error buffer_view: it is a buffer
  _ = bufferArrayView<u32>(&any, o, 4);    // error buffer_view: it has no runtime-sized array
  _ = bufferView<u32>(any, o);             // error not_loadable: use bufferView
  _ = bufferView<u32>(&any, 1.5);          // error argument_type: must be i32 or u32
  _ = bufferView(&any, o);                 // error template_arguments: 'bufferView' needs one template argument
  _ = bufferLength(&o);                    // error invalid_address_of:
}

fn places() {
  _ = bufferView<u32>(&any, -4);                 // error buffer_view: cannot be negative
  _ = bufferView<vec4<f32>>(&any, 8);            // error buffer_view: the offset 8 is not a multiple of 16
  _ = bufferView<vec4<f32>>(&fixed, 64);         // error buffer_view: the view ends at byte 80, but the buffer has 64
  _ = bufferView<array<u32, 17>>(&fixed, 0);     // error buffer_view: the view ends at byte 68, but the buffer has 64
  _ = bufferArrayView<array<u32>>(&any, 0, 2);   // error buffer_view: needs at least 4 bytes
  _ = bufferArrayView<array<u32>>(&any, 0, 6);   // error buffer_view: not a whole number of elements
  _ = bufferArrayView<array<u32>>(&any, 0, -4);  // error buffer_view: cannot be negative
  _ = bufferArrayView<array<u32>>(&fixed, 32, 64);  // error buffer_view: ends at byte 96
}
