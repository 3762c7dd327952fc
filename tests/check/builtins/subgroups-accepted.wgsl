// Every function of subgroups and quads.
diagnostic(off, subgroup_uniformity);
enable f16;
enable subgroups;
var<private> b1 : bool;
var<private> i1 : i32;
var<private> i2 : vec2<i32>;
var<private> u1 : u32;
var<private> u3 : vec3<u32>;
var<private> f1 : f32;
var<private> f4 : vec4<f32>;
var<private> h1 : f16;
var<private> h2 : vec2<f16>;

fn use_quadBroadcast() {
  let r0 : i32 = quadBroadcast(i1, 3);
  let r1 : i32 = quadBroadcast(i1, 3u);
  let r2 : u32 = quadBroadcast(u1, 3);
  let r3 : u32 = quadBroadcast(u1, 3u);
  let r4 : f32 = quadBroadcast(f1, 3);
  let r5 : f32 = quadBroadcast(f1, 3u);
  let r6 : f16 = quadBroadcast(h1, 3);
  let r7 : f16 = quadBroadcast(h1, 3u);
  let r8 : vec2<i32> = quadBroadcast(i2, 3);
  let r9 : vec2<i32> = quadBroadcast(i2, 3u);
  let r10 : vec3<u32> = quadBroadcast(u3, 3);
  let r11 : vec3<u32> = quadBroadcast(u3, 3u);
  let r12 : vec4<f32> = quadBroadcast(f4, 3);
  let r13 : vec4<f32> = quadBroadcast(f4, 3u);
  let r14 : vec2<f16> = quadBroadcast(h2, 3);
  let r15 : vec2<f16> = quadBroadcast(h2, 3u);
}

fn use_quadSwapDiagonal() {
  let r0 : i32 = quadSwapDiagonal(i1);
  let r1 : u32 = quadSwapDiagonal(u1);
  let r2 : f32 = quadSwapDiagonal(f1);
  let r3 : f16 = quadSwapDiagonal(h1);
  let r4 : vec2<i32> = quadSwapDiagonal(i2);
  let r5 : vec3<u32> = quadSwapDiagonal(u3);
  let r6 : vec4<f32> = quadSwapDiagonal(f4);
  let r7 : vec2<f16> = quadSwapDiagonal(h2);
}

fn use_quadSwapX() {
  let r0 : i32 = quadSwapX(i1);
  let r1 : u32 = quadSwapX(u1);
  let r2 : f32 = quadSwapX(f1);
  let r3 : f16 = quadSwapX(h1);
  let r4 : vec2<i32> = quadSwapX(i2);
  let r5 : vec3<u32> = quadSwapX(u3);
  let r6 : vec4<f32> = quadSwapX(f4);
  let r7 : vec2<f16> = quadSwapX(h2);
}

fn use_quadSwapY() {
  let r0 : i32 = quadSwapY(i1);
  let r1 : u32 = quadSwapY(u1);
  let r2 : f32 = quadSwapY(f1);
  let r3 : f16 = quadSwapY(h1);
  let r4 : vec2<i32> = quadSwapY(i2);
  let r5 : vec3<u32> = quadSwapY(u3);
  let r6 : vec4<f32> = quadSwapY(f4);
  let r7 : vec2<f16> = quadSwapY(h2);
}

fn use_subgroupAdd() {
  let r0 : i32 = subgroupAdd(i1);
  let r1 : u32 = subgroupAdd(u1);
  let r2 : f32 = subgroupAdd(f1);
  let r3 : f16 = subgroupAdd(h1);
  let r4 : vec2<i32> = subgroupAdd(i2);
  let r5 : vec3<u32> = subgroupAdd(u3);
  let r6 : vec4<f32> = subgroupAdd(f4);
  let r7 : vec2<f16> = subgroupAdd(h2);
}

fn use_subgroupAll() {
  let r0 : bool = subgroupAll(b1);
}

fn use_subgroupAnd() {
  let r0 : i32 = subgroupAnd(i1);
  let r1 : u32 = subgroupAnd(u1);
  let r2 : vec2<i32> = subgroupAnd(i2);
  let r3 : vec3<u32> = subgroupAnd(u3);
}

fn use_subgroupAny() {
  let r0 : bool = subgroupAny(b1);
}

fn use_subgroupBallot() {
  let r0 : vec4<u32> = subgroupBallot(b1);
}

fn use_subgroupBroadcast() {
  let r0 : i32 = subgroupBroadcast(i1, 127);
  let r1 : i32 = subgroupBroadcast(i1, 127u);
  let r2 : u32 = subgroupBroadcast(u1, 127);
  let r3 : u32 = subgroupBroadcast(u1, 127u);
  let r4 : f32 = subgroupBroadcast(f1, 127);
  let r5 : f32 = subgroupBroadcast(f1, 127u);
  let r6 : f16 = subgroupBroadcast(h1, 127);
  let r7 : f16 = subgroupBroadcast(h1, 127u);
  let r8 : vec2<i32> = subgroupBroadcast(i2, 127);
  let r9 : vec2<i32> = subgroupBroadcast(i2, 127u);
  let r10 : vec3<u32> = subgroupBroadcast(u3, 127);
  let r11 : vec3<u32> = subgroupBroadcast(u3, 127u);
  let r12 : vec4<f32> = subgroupBroadcast(f4, 127);
  let r13 : vec4<f32> = subgroupBroadcast(f4, 127u);
  let r14 : vec2<f16> = subgroupBroadcast(h2, 127);
  let r15 : vec2<f16> = subgroupBroadcast(h2, 127u);
}

fn use_subgroupBroadcastFirst() {
  let r0 : i32 = subgroupBroadcastFirst(i1);
  let r1 : u32 = subgroupBroadcastFirst(u1);
  let r2 : f32 = subgroupBroadcastFirst(f1);
  let r3 : f16 = subgroupBroadcastFirst(h1);
  let r4 : vec2<i32> = subgroupBroadcastFirst(i2);
  let r5 : vec3<u32> = subgroupBroadcastFirst(u3);
  let r6 : vec4<f32> = subgroupBroadcastFirst(f4);
  let r7 : vec2<f16> = subgroupBroadcastFirst(h2);
}

fn use_subgroupElect() {
  let r0 : bool = subgroupElect();
}

fn use_subgroupExclusiveAdd() {
  let r0 : i32 = subgroupExclusiveAdd(i1);
  let r1 : u32 = subgroupExclusiveAdd(u1);
  let r2 : f32 = subgroupExclusiveAdd(f1);
  let r3 : f16 = subgroupExclusiveAdd(h1);
  let r4 : vec2<i32> = subgroupExclusiveAdd(i2);
  let r5 : vec3<u32> = subgroupExclusiveAdd(u3);
  let r6 : vec4<f32> = subgroupExclusiveAdd(f4);
  let r7 : vec2<f16> = subgroupExclusiveAdd(h2);
}

fn use_subgroupExclusiveMul() {
  let r0 : i32 = subgroupExclusiveMul(i1);
  let r1 : u32 = subgroupExclusiveMul(u1);
  let r2 : f32 = subgroupExclusiveMul(f1);
  let r3 : f16 = subgroupExclusiveMul(h1);
  let r4 : vec2<i32> = subgroupExclusiveMul(i2);
  let r5 : vec3<u32> = subgroupExclusiveMul(u3);
  let r6 : vec4<f32> = subgroupExclusiveMul(f4);
  let r7 : vec2<f16> = subgroupExclusiveMul(h2);
}

fn use_subgroupInclusiveAdd() {
  let r0 : i32 = subgroupInclusiveAdd(i1);
  let r1 : u32 = subgroupInclusiveAdd(u1);
  let r2 : f32 = subgroupInclusiveAdd(f1);
  let r3 : f16 = subgroupInclusiveAdd(h1);
  let r4 : vec2<i32> = subgroupInclusiveAdd(i2);
  let r5 : vec3<u32> = subgroupInclusiveAdd(u3);
  let r6 : vec4<f32> = subgroupInclusiveAdd(f4);
  let r7 : vec2<f16> = subgroupInclusiveAdd(h2);
}

fn use_subgroupInclusiveMul() {
  let r0 : i32 = subgroupInclusiveMul(i1);
  let r1 : u32 = subgroupInclusiveMul(u1);
  let r2 : f32 = subgroupInclusiveMul(f1);
  let r3 : f16 = subgroupInclusiveMul(h1);
  let r4 : vec2<i32> = subgroupInclusiveMul(i2);
  let r5 : vec3<u32> = subgroupInclusiveMul(u3);
  let r6 : vec4<f32> = subgroupInclusiveMul(f4);
  let r7 : vec2<f16> = subgroupInclusiveMul(h2);
}

fn use_subgroupMax() {
  let r0 : i32 = subgroupMax(i1);
  let r1 : u32 = subgroupMax(u1);
  let r2 : f32 = subgroupMax(f1);
  let r3 : f16 = subgroupMax(h1);
  let r4 : vec2<i32> = subgroupMax(i2);
  let r5 : vec3<u32> = subgroupMax(u3);
  let r6 : vec4<f32> = subgroupMax(f4);
  let r7 : vec2<f16> = subgroupMax(h2);
}

fn use_subgroupMin() {
  let r0 : i32 = subgroupMin(i1);
  let r1 : u32 = subgroupMin(u1);
  let r2 : f32 = subgroupMin(f1);
  let r3 : f16 = subgroupMin(h1);
  let r4 : vec2<i32> = subgroupMin(i2);
  let r5 : vec3<u32> = subgroupMin(u3);
  let r6 : vec4<f32> = subgroupMin(f4);
  let r7 : vec2<f16> = subgroupMin(h2);
}

fn use_subgroupMul() {
  let r0 : i32 = subgroupMul(i1);
  let r1 : u32 = subgroupMul(u1);
  let r2 : f32 = subgroupMul(f1);
  let r3 : f16 = subgroupMul(h1);
  let r4 : vec2<i32> = subgroupMul(i2);
  let r5 : vec3<u32> = subgroupMul(u3);
  let r6 : vec4<f32> = subgroupMul(f4);
  let r7 : vec2<f16> = subgroupMul(h2);
}

fn use_subgroupOr() {
  let r0 : i32 = subgroupOr(i1);
  let r1 : u32 = subgroupOr(u1);
  let r2 : vec2<i32> = subgroupOr(i2);
  let r3 : vec3<u32> = subgroupOr(u3);
}

fn use_subgroupShuffle() {
  let r0 : i32 = subgroupShuffle(i1, i1);
  let r1 : i32 = subgroupShuffle(i1, u1);
  let r2 : u32 = subgroupShuffle(u1, i1);
  let r3 : u32 = subgroupShuffle(u1, u1);
  let r4 : f32 = subgroupShuffle(f1, i1);
  let r5 : f32 = subgroupShuffle(f1, u1);
  let r6 : f16 = subgroupShuffle(h1, i1);
  let r7 : f16 = subgroupShuffle(h1, u1);
  let r8 : vec2<i32> = subgroupShuffle(i2, i1);
  let r9 : vec2<i32> = subgroupShuffle(i2, u1);
  let r10 : vec3<u32> = subgroupShuffle(u3, i1);
  let r11 : vec3<u32> = subgroupShuffle(u3, u1);
  let r12 : vec4<f32> = subgroupShuffle(f4, i1);
  let r13 : vec4<f32> = subgroupShuffle(f4, u1);
  let r14 : vec2<f16> = subgroupShuffle(h2, i1);
  let r15 : vec2<f16> = subgroupShuffle(h2, u1);
}

fn use_subgroupShuffleDown() {
  let r0 : i32 = subgroupShuffleDown(i1, u1);
  let r1 : u32 = subgroupShuffleDown(u1, u1);
  let r2 : f32 = subgroupShuffleDown(f1, u1);
  let r3 : f16 = subgroupShuffleDown(h1, u1);
  let r4 : vec2<i32> = subgroupShuffleDown(i2, u1);
  let r5 : vec3<u32> = subgroupShuffleDown(u3, u1);
  let r6 : vec4<f32> = subgroupShuffleDown(f4, u1);
  let r7 : vec2<f16> = subgroupShuffleDown(h2, u1);
}

fn use_subgroupShuffleUp() {
  let r0 : i32 = subgroupShuffleUp(i1, u1);
  let r1 : u32 = subgroupShuffleUp(u1, u1);
  let r2 : f32 = subgroupShuffleUp(f1, u1);
  let r3 : f16 = subgroupShuffleUp(h1, u1);
  let r4 : vec2<i32> = subgroupShuffleUp(i2, u1);
  let r5 : vec3<u32> = subgroupShuffleUp(u3, u1);
  let r6 : vec4<f32> = subgroupShuffleUp(f4, u1);
  let r7 : vec2<f16> = subgroupShuffleUp(h2, u1);
}

fn use_subgroupShuffleXor() {
  let r0 : i32 = subgroupShuffleXor(i1, u1);
  let r1 : u32 = subgroupShuffleXor(u1, u1);
  let r2 : f32 = subgroupShuffleXor(f1, u1);
  let r3 : f16 = subgroupShuffleXor(h1, u1);
  let r4 : vec2<i32> = subgroupShuffleXor(i2, u1);
  let r5 : vec3<u32> = subgroupShuffleXor(u3, u1);
  let r6 : vec4<f32> = subgroupShuffleXor(f4, u1);
  let r7 : vec2<f16> = subgroupShuffleXor(h2, u1);
}

fn use_subgroupXor() {
  let r0 : i32 = subgroupXor(i1);
  let r1 : u32 = subgroupXor(u1);
  let r2 : vec2<i32> = subgroupXor(i2);
  let r3 : vec3<u32> = subgroupXor(u3);
}
