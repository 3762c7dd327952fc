// SPDX-License-Identifier: Apache-2.0
//
// tensor.test.mjs - tensors: data in and out, operators, views, scopes, places, sharing.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import * as weft from 'weft-gpu/tensor';
import { assertTurning } from './fixture.mjs';

const { arange, concat, Context, evaluate, eye, full, keep, linspace, ones, scalar, scope, shares, stack, Tensor, tensor, WeftError, where, zeros } = weft;

const fails = (f, kind, message = /\S/) => assert.throws(f, (error) => {
  assert.ok(error instanceof WeftError, error.stack);
  assert.equal(error.kind, kind, error.message);
  assert.match(error.message, message);
  return true;
});
const close = (got, want, tolerance = 1e-6) => {
  assert.equal(got.length, want.length);
  want.forEach((w, i) => assert.ok(Object.is(got[i], w) || Math.abs(got[i] - w) <= tolerance * Math.max(1, Math.abs(w)), `[${i}]: ${got[i]}, not ${w}`));
};

test('the example of the package', async () => {
  const w = tensor([[1, -1], [2, 0]]);
  const t = tensor([[1, 2], [3, 4]]);
  assert.deepEqual([...await t.matmul(w).relu().data()], [5, 0, 11, 0]);
});

test('require() and import give the same', () => {
  const required = createRequire(import.meta.url)('weft-gpu/tensor');
  for (const [name, value] of Object.entries(required)) assert.equal(weft[name], value, name);
  assert.deepEqual(Object.keys(required).sort(), Object.keys(weft).sort());
});

test('typed arrays in and out keep their type', async () => {
  const cases = {
    f32: Float32Array.of(1.5, -2), f64: Float64Array.of(1 / 3, 2), i32: Int32Array.of(-5, 7), u32: Uint32Array.of(4e9, 1),
    i8: Int8Array.of(-128, 127), u8: Uint8Array.of(0, 255), i64: BigInt64Array.of(-1n, 5n),
  };
  for (const [dtype, data] of Object.entries(cases)) {
    const t = tensor(data);
    assert.equal(t.dtype, dtype);
    const back = await t.data();
    assert.equal(back.constructor, data.constructor);
    assert.deepEqual(back, data);
    assert.deepEqual(t.dataSync(), data);
    assert.deepEqual(t.dataSync(new data.constructor(2)), data);
  }
  assert.equal(tensor(Int16Array.of(-3)).dtype, 'i32');
  assert.equal(tensor([true, false]).dtype, 'bool');
  assert.deepEqual(await tensor([true, false]).array(), [true, false]);
  assert.deepEqual(await tensor([1n]).array(), [1n]);
  const half = tensor([0.1, 65504, 1e-8], 'f16');
  assert.equal(half.bytes, 6);
  close(await half.data(), [0.0999755859375, 65504, 0], 0);
  assert.deepEqual([...await half.raw()].length, 6);
  close(await tensor([1 + 2 ** -8], 'bf16').data(), [1], 0);
  assert.deepEqual(tensor(Uint16Array.of(0x3c00), { dtype: 'float16' }).arraySync(), [1]);
});

test('a view of a larger ArrayBuffer is read at its place', async () => {
  const all = Float32Array.from({ length: 8 }, (_, i) => i);
  assert.deepEqual(await tensor(all.subarray(2, 5)).array(), [2, 3, 4]);
});

test('nested arrays, shapes and sizes that do not fit', async () => {
  const t = tensor([[[1], [2]], [[3], [4]]]);
  assert.deepEqual(t.shape, [2, 2, 1]);
  assert.deepEqual(await t.array(), [[[1], [2]], [[3], [4]]]);
  assert.deepEqual(tensor([new Float64Array([1, 2]), [3, 4]]).arraySync(), [[1, 2], [3, 4]]);
  assert.deepEqual(tensor([1, 2, 3, 4], [2, -1]).shape, [2, 2]);
  assert.equal(await tensor(7).item(), 7);
  assert.deepEqual(await zeros([2, 0]).array(), [[], []]);
  fails(() => tensor([[1, 2], [3]]), 'shape', /ragged/);
  fails(() => tensor([[1, 2], 3]), 'shape', /ragged/);
  fails(() => zeros([3n]), 'shape', /shape\[0\] is not a number/);
  fails(() => zeros([2, '3']), 'shape', /shape\[1\] is not a number/);
  fails(() => zeros([2, -1]), 'shape', /axis 1 is open/);
  fails(() => tensor([1, [2]]), 'shape', /nested/);
  fails(() => tensor([1, 'x']), 'type', /string/);
  fails(() => tensor('x'), 'type', /string/);
  fails(() => tensor(null), 'type', /null/);
  fails(() => tensor([1, 2n]), 'type');
  fails(() => tensor([1, 2, 3], [2, 2]), 'shape', /16 bytes.*12/);
  fails(() => tensor(new Float32Array(0), [4]), 'shape', /16 bytes.*0/);
  fails(() => tensor([1, 2, 3], [2, -1]), 'shape');
  fails(() => tensor([1], { shape: [1, 1, 1, 1, 1, 1, 1, 1, 1] }), 'shape', /8/);
  fails(() => tensor([1], { shap: [1] }), 'invalid', /shap/);
  fails(() => tensor([1], 'float31'), 'type', /float31/);
  fails(() => tensor(new BigUint64Array(1)), 'type', /BigUint64Array/);
  fails(() => zeros([2 ** 40, 2 ** 40]), 'shape');
  fails(() => zeros([-2]), 'shape');
  fails(() => zeros([1.5]), 'shape');
  fails(() => new Tensor(), 'invalid');
  const gone = new Float32Array(4);
  structuredClone(gone, { transfer: [gone.buffer] });
  fails(() => tensor(gone), 'invalid', /detached/);
});

test('memory that is transferred moves to the tensor', async () => {
  const data = Float32Array.of(1, 2, 3);
  const t = tensor(data, { transfer: true });
  assert.equal(data.length, 0);
  assert.deepEqual(await t.add(1).array(), [2, 3, 4]);
  assert.deepEqual(await t.array(), [1, 2, 3]);
  assert.equal(t.location, 'both');
});

test('patterns', async () => {
  assert.deepEqual(await arange(3).array(), [0, 1, 2]);
  assert.deepEqual(await arange(5, 1, -2, 'i32').array(), [5, 3]);
  assert.deepEqual(await linspace(0, 1, 3).array(), [0, 0.5, 1]);
  assert.deepEqual(await eye(2).array(), [[1, 0], [0, 1]]);
  assert.deepEqual(await full([2], 7, { dtype: 'u8' }).data(), Uint8Array.of(7, 7));
  assert.equal(scalar(2).add(arange(2, 'i32')).dtype, 'i32');
  assert.deepEqual(await ones(2).array(), [1, 1]);
});

// What the rows of weft/tensor_ops.def are to compute; those that Math lacks by a formula.
const erf = (x) => { let sum = x, term = x; for (let n = 1; n < 60; n++) { term *= -x * x / n; sum += term / (2 * n + 1); } return 2 / Math.sqrt(Math.PI) * sum; };
const sigmoid = (x) => 1 / (1 + Math.exp(-x));
const softplus = (x) => Math.log1p(Math.exp(x));
const even = (x) => { const r = Math.round(x); return r - x === 0.5 && r % 2 !== 0 ? r - 1 : r; };
const clamp = (x, low, high) => Math.min(Math.max(x, low), high);
const unary = {
  neg: (x) => -x, rsqrt: (x) => 1 / Math.sqrt(x), reciprocal: (x) => 1 / x, square: (x) => x * x, erf, round: even,
  relu: (x) => Math.max(x, 0), silu: (x) => x * sigmoid(x), sigmoid, softplus, hardSwish: (x) => x * clamp(x / 6 + 0.5, 0, 1),
  hardSigmoid: (x) => clamp(x / 6 + 0.5, 0, 1), mish: (x) => x * Math.tanh(softplus(x)), softsign: (x) => x / (1 + Math.abs(x)),
  logicalNot: (x) => x === 0, isNan: Number.isNaN, isInf: (x) => Math.abs(x) === Infinity, isFinite: Number.isFinite, bitNot: (x) => ~x,
};
const binary = {
  add: (a, b) => a + b, sub: (a, b) => a - b, mul: (a, b) => a * b, div: (a, b) => a / b, floorDiv: (a, b) => Math.floor(a / b),
  remainder: (a, b) => a - Math.floor(a / b) * b, fmod: (a, b) => a % b, maximum: Math.max, minimum: Math.min,
  copysign: (a, b) => Math.abs(a) * Math.sign(b), bitAnd: (a, b) => a & b, bitOr: (a, b) => a | b, bitXor: (a, b) => a ^ b,
  shl: (a, b) => a << b, shr: (a, b) => a >> b, equal: (a, b) => a === b, notEqual: (a, b) => a !== b, less: (a, b) => a < b,
  lessEqual: (a, b) => a <= b, greater: (a, b) => a > b, greaterEqual: (a, b) => a >= b, logicalAnd: (a, b) => !!a && !!b,
  logicalOr: (a, b) => !!a || !!b, logicalXor: (a, b) => !!a !== !!b,
};
const reduce = {
  sum: (l) => l.reduce((a, b) => a + b, 0), prod: (l) => l.reduce((a, b) => a * b, 1), mean: (l) => l.reduce((a, b) => a + b, 0) / l.length,
  max: (l) => Math.max(...l), min: (l) => Math.min(...l), any: (l) => l.some(Boolean), all: (l) => l.every(Boolean),
  logsumexp: (l) => Math.log(l.reduce((s, x) => s + Math.exp(x), 0)),
};
const { operatorRows, camel } = createRequire(import.meta.url)('../lib/tensor/ops.js');
const integers = new Set(['bitNot', 'bitAnd', 'bitOr', 'bitXor', 'shl', 'shr']);

test('every elementwise operator and reduction is a method and a function', async () => {
  const small = [0.25, 0.5, 0.75, 1], large = [1.25, 2, 3, 2.5], counts = [5, 3, 12, 1];
  for (const [row] of operatorRows.unary) {
    const name = camel(row), f = unary[name] ?? Math[name];
    assert.ok(f, `no reference for ${name}`);
    const x = integers.has(name) ? counts : name === 'acosh' ? large : name === 'atanh' ? [0.1, 0.2, 0.5, 0.9] : small;
    const t = tensor(x, integers.has(name) ? 'i32' : 'f32');
    for (const made of [t[name](), weft[name](t)]) close(Array.from(await made.data(), Number), x.map((v) => Number(f(v))), 2e-5);
  }
  for (const [row] of operatorRows.binary) {
    const name = camel(row), f = binary[name] ?? Math[name];
    assert.ok(f, `no reference for ${name}`);
    const [a, b, type] = integers.has(name) ? [counts, [1, 2, 3, 4], 'i32'] : [small, large, 'f32'];
    const ta = tensor(a, type), tb = tensor(b, type), want = a.map((v, i) => Number(f(v, b[i])));
    for (const made of [ta[name](tb), weft[name](ta, tb), weft[name](integers.has(name) ? ta : a, tb)]) close(Array.from(await made.data(), Number), want, 2e-5);
    close(Array.from(await ta[name](3).data(), Number), a.map((v) => Number(f(v, 3))), 2e-5);
    close(Array.from(await weft[name](3, ta).data(), Number), a.map((v) => Number(f(3, v))), 2e-5);
  }
  for (const [row] of operatorRows.reduction) {
    const name = camel(row), f = reduce[name], rows = [small, large];
    assert.ok(f, `no reference for ${name}`);
    close(Array.from(await tensor(rows)[name](1).data(), Number), rows.map((r) => Number(f(r))), 1e-5);
    close(Array.from(await weft[name](rows, [0], true).data(), Number), small.map((_, i) => Number(f([small[i], large[i]]))), 1e-5);
    close([Number(await tensor(rows)[name]().item())], [Number(f(rows.flat()))], 1e-5);
  }
});

test('views, copies, indices and further operators', async () => {
  const x = arange(12).reshape(3, 4);
  assert.deepEqual(await x.slice([1], [undefined, undefined, -2]).array(), [[7, 5], [11, 9]]);
  assert.deepEqual(await x.slice(-1, [0, 2]).array(), [8, 9]);
  assert.deepEqual(await x.transpose().narrow(0, 1, 2).array(), [[1, 5, 9], [2, 6, 10]]);
  assert.deepEqual(await x.permute(1, 0).select(0, 3).array(), [3, 7, 11]);
  assert.deepEqual(await x.permute().shape, [4, 3]);
  assert.deepEqual(await x.unsqueeze(0).squeeze().diagonal().array(), [0, 5, 10]);
  assert.deepEqual(await x.flip(1).flatten().slice([0, 4]).array(), [3, 2, 1, 0]);
  assert.deepEqual((await x.expand([2, 3, 4])).shape, [2, 3, 4]);
  assert.deepEqual(await arange(5).windows(0, 3, 2).array(), [[0, 1, 2], [2, 3, 4]]);
  assert.deepEqual(await x.asStrided([2, 2], [5, 1], 1).array(), [[1, 2], [6, 7]]);
  assert.deepEqual(await tensor([1]).bitcast('u32').array(), [0x3f800000]);
  assert.deepEqual(await concat([[1, 2], tensor([3])]).array(), [1, 2, 3]);
  assert.deepEqual(await stack([[1, 2], tensor([3, 4])], 1).array(), [[1, 3], [2, 4]]);
  const parts = x.split([1, 3], 1);
  assert.deepEqual(parts.map((p) => p.shape), [[3, 1], [3, 3]]);
  assert.deepEqual(x.split(3).map((p) => p.arraySync()[0][0]), [0, 4, 8]);
  assert.deepEqual(await tensor([1, 2]).tile(2).array(), [1, 2, 1, 2]);
  assert.deepEqual(await tensor([1, 2]).repeat(2).array(), [1, 1, 2, 2]);
  assert.deepEqual(await tensor([1, 2, 3]).roll(1).array(), [3, 1, 2]);
  assert.deepEqual(await tensor([1, 2, 3]).pad([[1, 2]], { mode: 'reflect' }).array(), [2, 1, 2, 3, 2, 1]);
  assert.deepEqual(await tensor([1]).pad([[1, 0]], { value: 9 }).array(), [9, 1]);
  assert.deepEqual(await x.take([[2, 0]]).array(), [[[8, 9, 10, 11], [0, 1, 2, 3]]]);
  assert.deepEqual(await x.gather([[3], [2], [1]], 1).array(), [[3], [6], [9]]);
  assert.deepEqual(await x.maskedFill(x.greater(9), -1).select(0, 2).array(), [8, 9, -1, -1]);
  assert.deepEqual(await where([true, false], [1, 2], 5).array(), [1, 5]);
  assert.deepEqual(await ones([2, 2]).triu().array(), [[1, 1], [0, 1]]);
  assert.deepEqual(await ones([2, 2]).tril(-1).array(), [[0, 0], [1, 0]]);
  assert.deepEqual(await tensor([2, 0], 'i32').oneHot(3).array(), [[0, 0, 1], [1, 0, 0]]);
  assert.deepEqual(await x.argmax(0).array(), [2, 2, 2, 2]);
  assert.deepEqual(await x.argmin().array(), [0, 0, 0]);
  assert.deepEqual(await arange(4).cumsum(0, { reverse: true }).array(), [6, 6, 5, 3]);
  assert.deepEqual(await arange(1, 4).cumprod(0, { exclusive: true }).array(), [1, 1, 2]);
  close(await tensor([1, 2, 3, 4]).variance(undefined, true, 1).data(), [5 / 3]);
  close(await tensor([3, -4]).norm().data(), [5]);
  close(await tensor([-1, 2]).leakyRelu(0.1).data(), [-0.1, 2]);
  close(await tensor([-1, 2]).elu().data(), [Math.expm1(-1), 2]);
  close(await tensor([1]).gelu('tanh').data(), [0.841191990]);
  close(await tensor([-2, 5]).clip(undefined, 3).data(), [-2, 3]);
});

test('elements by index and by order', async () => {
  const x = tensor([[5, 1, 3], [2, 6, 4]]);
  assert.deepEqual(await x.gatherNd([[1, 0], [0, 2]]).array(), [2, 3]);
  assert.deepEqual(await zeros([4]).scatter([1, 3, 1], [5, 6, 7], { how: 'add' }).array(), [0, 12, 0, 6]);
  assert.deepEqual(await x.scatter([[2], [0]], [[9], [8]], { axis: 1 }).array(), [[5, 1, 9], [8, 6, 4]]);
  assert.deepEqual(await x.scatterNd([[0, 0]], [7]).array(), [[7, 1, 3], [2, 6, 4]]);
  assert.deepEqual(await x.sliceUpdate([0, 0], 1, [0, 2]).array(), [[5, 1, 3], [0, 0, 4]]);
  assert.deepEqual(await x.sliceUpdate(0, undefined, -1).array(), [[5, 1, 0], [2, 6, 0]]);
  assert.deepEqual(await x.sort().array(), [[1, 3, 5], [2, 4, 6]]);
  assert.deepEqual(await x.argsort(0, true).array(), [[0, 1, 1], [1, 0, 0]]);
  const { values, indices } = x.topk(2);
  assert.deepEqual([await values.array(), await indices.array()], [[[5, 3], [6, 4]], [[0, 2], [1, 2]]]);
  assert.deepEqual(await x.topk(1, { axis: 0, smallest: true }).values.array(), [[2, 1, 3]]);
  assert.deepEqual(await tensor([1, 3, 5]).searchsorted([0, 3, 9], true).array(), [0, 2, 3]);
  assert.deepEqual(await tensor([[0, 1], [2, 0]]).nonzero().array(), [[0, 1], [1, 0]]);
  const u = tensor([3, 1, 3, 2], 'i32').unique();
  assert.deepEqual(await Promise.all([u.values, u.indices, u.inverse, u.counts].map((t) => t.array())), [[1, 2, 3], [1, 3, 0], [2, 0, 2, 1], [1, 1, 2]]);
  fails(() => x.take([0.5]), 'type', /whole/);
  fails(() => x.scatter([0], [1], { how: 'div' }), 'invalid', /div/);
  fails(() => x.topk(9), 'shape');
});

test('dense operators', async () => {
  close(await tensor([1, 2]).linear([[1, 0], [1, 1]], [0.5, -9], { activation: 'relu' }).data(), [1.5, 0]);
  assert.deepEqual(await tensor([1, 2]).outer([3, 4]).array(), [[3, 4], [6, 8]]);
  const image = arange(16).reshape(1, 1, 4, 4);
  assert.deepEqual(await image.conv2d(ones([1, 1, 2, 2]), [1], { stride: 2 }).flatten().array(), [11, 19, 43, 51]);
  assert.deepEqual(await image.conv2d(ones([1, 1, 3, 3]), undefined, { padding: 1, stride: [3, 3] }).flatten().array(), [10, 18, 42, 50]);
  assert.deepEqual(await arange(4).reshape(1, 1, 4).conv1d([[[1, -1]]]).flatten().array(), [-1, -1, -1]);
  assert.deepEqual(await image.maxPool({ size: 2 }).flatten().array(), [5, 7, 13, 15]);
  assert.deepEqual(await image.avgPool({ size: [4, 4] }).flatten().array(), [7.5]);
  close(await tensor([[0, Math.log(3)]]).softmax().data(), [0.25, 0.75]);
  close(await tensor([[1, 3]]).layerNorm([2, 2], [1, 1]).data(), [-1, 3], 1e-4);
  close(await tensor([[3, 4]]).rmsNorm().data(), [3 / Math.sqrt(12.5), 4 / Math.sqrt(12.5)], 1e-4);
  const q = ones([1, 2, 2]);
  close(await q.attention(q, tensor([[[1, 2], [3, 4]]]), { causal: true }).data(), [1, 2, 2, 3]);
  close(await tensor([[[2], [4]]]).batchNorm([1, 2], [4, 1]).data(), [0.5, 2], 1e-4);
  close(await arange(4).reshape(1, 2, 2).groupNorm(1).data(), [-1.3416, -0.4472, 0.4472, 1.3416], 1e-3);
  close(await tensor([[[1, 3]]]).instanceNorm().data(), [-1, 1], 1e-3);
});

test('linear algebra, random numbers and relatives', async () => {
  const a = tensor([[4, 2], [2, 3]]);
  close((await a.cholesky().data()), [2, 0, 1, Math.sqrt(2)]);
  close(await a.solve([2, 5]).data(), [-0.5, 2]);
  close(await a.inv().matmul(a).data(), [1, 0, 0, 1], 1e-6);
  close([await a.det().item()], [8]);
  close(await a.cholesky().triangularSolve([2, 1]).data(), [1, 0]);
  const { q, r } = a.qr();
  close(await q.matmul(r).data(), [4, 2, 2, 3], 1e-5);
  close(await weft.einsum('ij,kj->ik', a, [[1, 1]]).data(), [6, 5]);
  const x = weft.uniform([1000], { key: 7, low: 2, high: 3 });
  assert.ok(await x.min().item() >= 2 && await x.max().item() < 3);
  assert.deepEqual(await x.array(), await weft.uniform(1000, { key: 7, low: 2, high: 3 }).array());
  assert.ok(Math.abs(await weft.normal([10000], { key: 1, mean: 5 }).mean().item() - 5) < 0.1);
  assert.deepEqual((await weft.permutation(5, { key: 3 }).sort().array()), [0, 1, 2, 3, 4]);
  assert.equal(weft.randint([2], { key: 1, low: 0, high: 9 }).dtype, 'i32');
  assert.equal(weft.randomBits([2], { key: 1 }).dtype, 'u32');
  assert.equal(tensor([0, 1]).bernoulli(5).dtype, 'bool');
  assert.deepEqual(await ones([4]).dropout(0, 1).array(), [1, 1, 1, 1]);
  assert.deepEqual(await arange(4).reshape(1, 1, 2, 2).resize({ scale: 2 }).flatten().slice([0, 4]).array(), [0, 0, 1, 1]);
  assert.deepEqual(await ones([1, 1, 2, 2]).convTranspose(ones([1, 1, 2, 2]), null, { stride: 2 }).shape, [1, 1, 4, 4]);
  assert.deepEqual(await arange(4).reshape(1, 1, 2, 2).unfold({ size: 2 }).flatten().array(), [0, 1, 2, 3]);
  close(await tensor([[1, 0]]).rope({ positions: [1] }).data(), [Math.cos(1), Math.sin(1)]);
  fails(() => weft.uniform([2], {}), 'invalid', /key/);
  fails(() => weft.uniform([2], { key: 1, lo: 1 }), 'invalid', /lo/);
  fails(() => weft.einsum('ij', 3, 4), 'shape');
  fails(() => ones([1, 1, 2, 2]).resize({ mode: 'best' }), 'invalid', /best/);
});

test('wrong operands are errors that name shapes and options', async () => {
  fails(() => ones([2, 3]).matmul(ones([2, 3])), 'shape', /\[2, 3\].*\[2, 3\]/);
  fails(() => ones([2]).add(ones([3])), 'shape', /\[2\].*\[3\]/);
  fails(() => ones([2]).sum(3), 'shape');
  fails(() => ones([2]).sum(1.5), 'shape');
  fails(() => ones([2]).reshape(3), 'shape');
  fails(() => ones([2]).permute(0, 1), 'shape');
  fails(() => ones([2, 3]).permute(2 ** 32, 1), 'shape', /axis/);
  fails(() => ones([2, 2]).pad([[1, 1]]), 'shape');
  fails(() => ones([2]).pad(3), 'shape');
  fails(() => ones([2]).slice([0, 1, 0]), 'shape', /step/);
  fails(() => ones([2]).slice('a'), 'shape');
  fails(() => ones([1, 1, 4, 4]).conv2d(ones([1, 1, 2, 2]), null, { strides: 2 }), 'invalid', /strides/);
  fails(() => ones([1, 1, 4, 4]).maxPool({ size: [1, 2, 3] }), 'shape', /size/);
  fails(() => ones([1, 1, 4, 4]).maxPool({ size: -1 }), 'invalid', /size/);
  fails(() => ones([2]).linear([[1, 1]], undefined, { activation: 'rely' }), 'invalid', /rely/);
  fails(() => ones([2]).gelu('x'), 'invalid');
  fails(() => ones([2]).add('x'), 'type');
  fails(() => ones([2]).add(undefined), 'type');
  fails(() => ones([2]).split(0), 'shape');
  fails(() => concat([]), 'shape');
  fails(() => ones([2]).clip('a'), 'invalid');
  await assert.rejects(ones([2]).item(), { kind: 'shape' });
  await assert.rejects(ones([2]).move('moon'), { kind: 'invalid' });
  await assert.rejects(evaluate([3]), { kind: 'invalid' });
});

test('a tensor that was disposed of is an error, not a crash', async () => {
  const t = ones([2]), u = t.add(1);
  t.dispose();
  t.dispose();
  assert.ok(t.isDisposed);
  fails(() => t.add(1), 'invalid', /disposed/);
  fails(() => u.add(t), 'invalid', /disposed/);
  fails(() => t.shape, 'invalid', /disposed/);
  await assert.rejects(t.data(), { kind: 'invalid' });
  assert.deepEqual(await u.array(), [2, 2]);
});

test('scopes dispose of what they made, but for the result', async () => {
  let inner, kept;
  const result = scope(() => {
    inner = ones([2]);
    kept = keep(inner.add(5));
    return { deep: [inner.add(1)] };
  });
  assert.ok(inner.isDisposed && !kept.isDisposed);
  assert.deepEqual(await result.deep[0].array(), [2, 2]);
  fails(() => scope(() => { inner = ones([2]); inner.add(ones([3])); }), 'shape');
  assert.ok(inner.isDisposed);
  let outside;
  const [first, second] = await Promise.all([
    scope(async () => { inner = ones([3]); await null; const t = inner.mul(2); await t.data(); return t; }),
    (async () => { await null; outside = ones([1]); return outside; })(),
  ]);
  assert.ok(inner.isDisposed && !outside.isDisposed && second === outside);
  assert.deepEqual(await first.array(), [2, 2, 2]);
  const nested = scope(() => { const t = scope(() => ones([4])); return t.size; });
  assert.equal(nested, 4);
});

test('elements move, are written and are shared', async () => {
  const x = ones([4]);
  assert.equal(x.location, 'lazy');
  await x.eval();
  assert.equal(x.location, 'device');
  await x.move('host');
  assert.equal(x.location, 'host');
  assert.equal(await x.sum().item(), 4);
  x.pin().unpin();
  const even = x.slice([undefined, undefined, 2]);
  assert.ok(even.isView);
  even.write([7, 8]);
  assert.deepEqual(await x.array(), [7, 1, 8, 1]);
  even.assign(0);
  assert.deepEqual(await x.array(), [0, 1, 0, 1]);
  fails(() => even.write([1]), 'shape');
  x.label = 'name';
  assert.equal(x.label, 'name');

  const context = new Context(), table = shares(context);
  const t = ones([100], { context });
  table.put('bert', 'embedding', t);
  fails(() => table.get('bert', 'embedding', 'clip'), 'denied');
  fails(() => table.get('bert', 'nothing'), 'not-found', /nothing/);
  table.grant('bert', 'embedding', 'clip');
  assert.equal((await table.get('bert', 'embedding', 'clip').sum().item()), 100);
  assert.equal(table.bytes('clip'), 400);
  assert.deepEqual(table.list().map(({ owner, name, references, readers }) => [owner, name, references, readers]), [['bert', 'embedding', 2, 1]]);
  table.revoke('bert', 'embedding', 'clip');
  assert.equal(table.release('bert'), 1);
});

test('own kernels', async () => {
  const collatz = weft.kernel({
    name: 'collatz',
    wgsl: `@group(0) @binding(0) var<storage, read> start : array<u32>;
           @group(0) @binding(1) var<storage, read_write> steps : array<u32>;
           @group(0) @binding(2) var<uniform> most : u32;
           override first = 1u;
           @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id : vec3u) {
             if id.x >= arrayLength(&start) { return; }
             var n = start[id.x]; var count = 0u;
             while n > first && count < most { n = select(n / 2u, 3u * n + 1u, n % 2u == 1u); count++; }
             steps[id.x] = count; }`,
    inputs: ['start'], outputs: { steps: {} },
  });
  const start = arange(1, 28, 'u32');
  const { steps } = collatz.run({ start }, { params: Uint32Array.of(1000) });
  assert.equal(await steps.max().item(), 111);
  assert.equal(await collatz.run([start], { params: Uint32Array.of(50), groups: [1] }).steps.max().item(), 50);
  fails(() => collatz.run({}), 'invalid', /start/);
  fails(() => collatz.run({ start }, { param: 1 }), 'invalid', /param/);
  fails(() => collatz.run({ start: ones([3]) }, { params: Uint32Array.of(1) }), 'type');
  fails(() => weft.kernel({ wgsl: 'fn f( {', outputs: ['a'] }), 'compile');
  fails(() => weft.kernel({ wgsl: '@compute @workgroup_size(1) fn f() {}', outputs: ['a'] }), 'not-found');
  fails(() => weft.kernel({ outputs: ['a'] }), 'invalid', /wgsl/);
  fails(() => weft.kernel({ wgsl: '', outputs: [3] }), 'invalid');
  collatz.dispose();
  fails(() => collatz.run({ start }), 'invalid', /disposed/);
});

test('explain() shows the kernels', () => {
  const x = ones([8, 8]);
  assert.match(x.matmul(x).relu().explain(), /kernel 1.*matmul relu/s);
});

test('the loop turns while tensors are computed', async () => {
  const x = ones([512, 512]);
  await assertTurning(async (size) => {
    let t = x;
    for (let i = 0; i < 4 * size; i++) t = t.matmul(x).mul(1 / 512);
    close((await t.data()).subarray(0, 1), [1], 1e-4);
  }, 64);
});
