// Every atomic function, on both integers.
var<private> i1 : i32;
var<private> u1 : u32;
@group(1) @binding(0) var<storage, read_write> asi : atomic<i32>;
@group(1) @binding(1) var<storage, read_write> asu : atomic<u32>;

fn use_atomicAdd() {
  let r0 : i32 = atomicAdd(&asi, i1);
  let r1 : u32 = atomicAdd(&asu, u1);
}

fn use_atomicAnd() {
  let r0 : i32 = atomicAnd(&asi, i1);
  let r1 : u32 = atomicAnd(&asu, u1);
}

fn use_atomicCompareExchangeWeak() {
  _ = atomicCompareExchangeWeak(&asi, i1, i1);
  _ = atomicCompareExchangeWeak(&asu, u1, u1);
}

fn use_atomicExchange() {
  let r0 : i32 = atomicExchange(&asi, i1);
  let r1 : u32 = atomicExchange(&asu, u1);
}

fn use_atomicLoad() {
  let r0 : i32 = atomicLoad(&asi);
  let r1 : u32 = atomicLoad(&asu);
}

fn use_atomicMax() {
  let r0 : i32 = atomicMax(&asi, i1);
  let r1 : u32 = atomicMax(&asu, u1);
}

fn use_atomicMin() {
  let r0 : i32 = atomicMin(&asi, i1);
  let r1 : u32 = atomicMin(&asu, u1);
}

fn use_atomicOr() {
  let r0 : i32 = atomicOr(&asi, i1);
  let r1 : u32 = atomicOr(&asu, u1);
}

fn use_atomicStore() {
  atomicStore(&asi, i1);
  atomicStore(&asu, u1);
}

fn use_atomicSub() {
  let r0 : i32 = atomicSub(&asi, i1);
  let r1 : u32 = atomicSub(&asu, u1);
}

fn use_atomicXor() {
  let r0 : i32 = atomicXor(&asi, i1);
  let r1 : u32 = atomicXor(&asu, u1);
}
