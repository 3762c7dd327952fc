// Every atomic operation, signed and unsigned, in storage and workgroup memory.
// run: groups 1, in u = [10, 10, 10, 10, 12, 12, 12, 7, 7, 7],
//   in i = [-5, -5], out u = [13, 7, 3, 10, 8, 15, 3, 9, 7, 8],
//   out i = [-5, 3], out r = [10, 10, 10, 10, 12, 12, 12, 7, 7, 0, 7, 1, -5, -5, 28, 4, 7]

@group(0) @binding(0) var<storage, read_write> u : array<atomic<u32>, 10>;
@group(0) @binding(1) var<storage, read_write> i : array<atomic<i32>, 2>;
@group(0) @binding(2) var<storage, read_write> r : array<i32>;
var<workgroup> w : atomic<u32>;
struct A { n : u32, a : array<atomic<i32>, 2> }
var<workgroup> s : A;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) z : u32) {
  atomicAdd(&w, z);
  atomicMax(&s.a[z % 2], i32(z));
  workgroupBarrier();
  if z != 0 { return; }
  r[0] = i32(atomicAdd(&u[0], 3));
  r[1] = i32(atomicSub(&u[1], 3));
  r[2] = i32(atomicMin(&u[2], 3));
  r[3] = i32(atomicMax(&u[3], 3));
  r[4] = i32(atomicAnd(&u[4], 10));
  r[5] = i32(atomicOr(&u[5], 3));
  r[6] = i32(atomicXor(&u[6], 15));
  r[7] = i32(atomicExchange(&u[7], 9));
  let no = atomicCompareExchangeWeak(&u[8], 8, 1);
  r[8] = i32(no.old_value);
  r[9] = i32(no.exchanged);
  let yes = atomicCompareExchangeWeak(&u[9], 7, 8);
  r[10] = i32(yes.old_value);
  r[11] = i32(yes.exchanged);
  r[12] = atomicMin(&i[0], 3);
  r[13] = atomicMax(&i[1], 3);
  r[14] = i32(atomicLoad(&w));
  atomicStore(&s.a[0], 4);
  r[15] = atomicLoad(&s.a[0]);
  r[16] = atomicLoad(&s.a[1]);
}
