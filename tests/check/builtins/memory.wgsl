// Functions that are given memory: atomics, arrayLength, workgroupUniformLoad.
struct Runtime { n : u32, data : array<vec2<f32>> }
struct Atomics { a : array<atomic<i32>, 4> }
@group(0) @binding(0) var<storage, read_write> rw : Runtime;
@group(0) @binding(1) var<storage> ro : array<u32>;
@group(0) @binding(2) var<storage, read_write> at : Atomics;
var<workgroup> w : array<u32, 4>;
var<workgroup> wa : atomic<u32>;
var<workgroup> wc : Atomics;
var<private> pr : u32;

fn accepted(p : ptr<storage, array<u32>>) {
  _ = arrayLength(&rw.data) + arrayLength(&ro) + arrayLength(p);
  let q = &rw.data;
  _ = arrayLength(q);
  _ = atomicAdd(&at.a[1], 1) + atomicLoad(&at.a[0]);
  atomicStore(&wa, 1);
  atomicMax(&wc.a[2], -1);
  let x : array<u32, 4> = workgroupUniformLoad(&w);
  let y : u32 = workgroupUniformLoad(&w[1]);
  let z : u32 = workgroupUniformLoad(&wa);
}

fn rejected() {
  var local : u32;
  _ = arrayLength(&w);                 // error argument_type: must be a pointer to a runtime-sized array
  _ = arrayLength(ro);                 // error not_loadable: runtime-sized array
  _ = arrayLength(&rw);                // error argument_type: must be a pointer to a runtime-sized array
  _ = atomicAdd(&pr, 1);               // error argument_type: is 'ptr<private, u32>', but must be a pointer to an atomic
  _ = atomicAdd(&at.a[0], 1u);         // error argument_type: is 'u32', but must be 'i32'
  _ = atomicAdd(&w[0], 1);             // error argument_type:
  _ = workgroupUniformLoad(&pr);       // error argument_type: no overload of 'workgroupUniformLoad' takes 'ptr<private, u32>'
  _ = workgroupUniformLoad(&wc);       // error argument_type:
  _ = workgroupUniformLoad(&local);    // error argument_type:
}
