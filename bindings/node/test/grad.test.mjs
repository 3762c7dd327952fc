// SPDX-License-Identifier: Apache-2.0
//
// grad.test.mjs - weft-gpu/grad: values, and compiled functions that agree with them.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import * as grad from 'weft-gpu/grad';

const { CompiledFunctions, CompiledResiduals, Geometry, GraphBuilder, Losses, Matrix3x3, V, Value, Vec2, Vec3, Vec4 } = grad;

const close = (got, want, tolerance = 1e-10, what = '') => {
  assert.equal(got.length, want.length, what);
  got.forEach((x, i) => assert.ok(Math.abs(x - want[i]) <= tolerance * Math.max(1, Math.abs(want[i])), `${what}[${i}]: ${x}, not ${want[i]}`));
};
const eager = (params, root) => {
  Value.zeroGradTree(root);
  for (const p of params) p.grad = 0;
  root.backward();
  return params.map((p) => p.grad);
};
const set = (params, data) => params.forEach((p, i) => { p.data = data[i]; });

test('require() and import give the same', () => {
  const required = createRequire(import.meta.url)('weft-gpu/grad');
  assert.deepEqual(Object.keys(required).sort(), Object.keys(grad).sort());
  for (const [name, value] of Object.entries(required)) assert.equal(grad[name], value, name);
});

// Each with a point where it is smooth; a and b stay above 0.
const operators = {
  add: V.add, sub: V.sub, mul: V.mul, div: (a, b) => V.div(a, b), powValue: (a, b) => V.powValue(a, b), mod: (a, b) => V.mod(V.mul(a, 5), V.C(0.7)), min: V.min, max: V.max,
  pow: (a) => V.pow(a, 2.5), square: V.square, cube: V.cube, abs: (a) => V.abs(V.neg(a)), exp: V.exp, log: (a) => V.log(a), sqrt: V.sqrt,
  floor: (a) => V.floor(V.mul(a, 3.3)), ceil: (a) => V.ceil(V.mul(a, 3.3)), round: (a) => V.round(V.mul(a, -3.3)), sign: (a, b) => V.sign(V.sub(a, b)),
  reciprocal: (a) => V.reciprocal(a), clamp: (a) => V.clamp(a, 0.6, 0.95), neg: V.neg, sin: V.sin, cos: V.cos, tan: V.tan,
  asin: (a) => V.asin(V.mul(a, 0.5)), acos: (a) => V.acos(V.mul(a, 0.5)), atan: V.atan, tanh: V.tanh, sigmoid: V.sigmoid, softplus: V.softplus,
  relu: (a, b) => V.relu(V.sub(a, b)), eq: (a, b) => V.mul(a, V.eq(a, b)), neq: (a, b) => V.mul(a, V.neq(a, b)), gt: (a, b) => V.mul(a, V.gt(a, b)),
  lt: (a, b) => V.mul(a, V.lt(a, b)), gte: (a, b) => V.mul(a, V.gte(a, b)), lte: (a, b) => V.mul(a, V.lte(a, b)),
  ifThenElse: (a, b) => V.ifThenElse(V.gt(a, b), V.square(a), V.exp(b)), sum: (a, b) => V.sum([a, b, V.mul(a, b)]), mean: (a, b) => V.mean([a, b, V.square(a)]),
  normalized3: (a, b) => Vec3.dot(new Vec3(a, b, V.mul(a, b)).normalizedCustomGrad(), Vec3.C(1, 2, 3)),
  normalized4: (a, b) => Vec4.dot(new Vec4(a, b, V.C(1), V.mul(a, b)).normalizedCustomGrad(), Vec4.C(1, 2, 3, 4)),
  eigenvalue: (a, b) => Matrix3x3.smallestEigenvalueCustomGrad(V.add(a, 1), V.mul(a, 0.1), V.mul(b, 0.2), V.add(b, 2), V.mul(a, 0.3), V.C(5)),
  eigenvalueOfValues: (a, b) => Matrix3x3.smallestEigenvalue(V.add(a, 1), V.mul(a, 0.1), V.mul(b, 0.2), V.add(b, 2), V.mul(a, 0.3), V.C(5)),
  huber: (a, b) => Losses.huber([a, V.mul(a, 4)], [b, b], 0.8), tukey: (a, b) => Losses.tukey([a, V.mul(a, 9)], [b, b]),
  entropy: (a, b) => Losses.binaryCrossEntropy([V.sigmoid(a)], [V.clamp(b, 0, 1)]), categorical: (a, b) => Losses.categoricalCrossEntropy([a, b], [1]),
  angle: (a, b) => Vec2.angleBetween(new Vec2(a, V.C(0.3)), new Vec2(V.C(0.2), b)), defect: (a, b) => Geometry.angleDefect(new Vec3(a, b, V.C(1)), [Vec3.C(1, 0, 0), Vec3.C(0, 1, 0), Vec3.C(-1, -1, 0)]),
};
const points = [[0.7, 1.1], [0.9, 0.4], [1.3, 1.25]];

for (const [name, build] of Object.entries(operators)) {
  test(`${name}: compiled as recorded, and as differences say`, () => {
    const a = V.W(0.5), b = V.W(0.8), params = [a, b], one = V.W(0.7), other = V.W(1.1);
    const alone = CompiledFunctions.compile(params, ([x, y]) => [build(x, y)]);
    const many = CompiledFunctions.compile([one, other], ([x, y]) => Array.from({ length: 9 }, () => build(x, y)), { fallbackThreshold: 0 });
    assert.equal(many.kernelCount, 1);
    for (const point of points) {
      set(params, point);
      set([one, other], point);
      const root = build(a, b), want = eager(params, root), value = root.data;
      const got = alone.evaluateGradient(params), sum = many.evaluateSumWithGradient([one, other]);
      close([got.value, ...got.gradient], [value, ...want], 1e-12, 'immediate');
      close([sum.value, ...sum.gradient], [9 * value, ...want.map((g) => 9 * g)], 1e-10, 'dispatched');
      if (['mod', 'floor', 'ceil', 'round'].includes(name)) continue;
      const slopes = params.map((p, i) => {
        const at = (h) => { p.data = point[i] + h; return build(a, b).data; };
        const slope = (at(1e-6) - at(-1e-6)) / 2e-6;
        p.data = point[i];
        return slope;
      });
      close(want, slopes, 1e-5, 'differences');
    }
    assert.equal(many.batches[0].immediate, false, many.batches[0].reason);
  });
}

test('derivatives at kinks are the same in both ways', () => {
  const x = V.W(0), y = V.W(0), params = [x, y];
  const functions = () => [V.abs(x), V.relu(x), V.min(x, y), V.max(x, y), V.clamp(x, 0, 1), V.sign(x)];
  const compiled = CompiledFunctions.compile(params, functions);
  assert.deepEqual(compiled.evaluateJacobian(params).jacobian, functions().map((root) => eager(params, root)));
  assert.deepEqual(functions().map((root) => eager(params, root)[0]), [1, 0, 0, 0, 0, 0]);
});

test('powers: bases below 0, exponents that change', () => {
  const a = V.W(-2), n = V.W(3), params = [a, n];
  const compiled = CompiledFunctions.compile(params, () => [V.powValue(a, n), V.pow(a, 2), V.pow(a, -3)]);
  for (const [x, e] of [[-2, 3], [-1.5, 2], [2, 2.5], [3, -1]]) {
    set(params, [x, e]);
    const roots = [V.powValue(a, n), V.pow(a, 2), V.pow(a, -3)], { values, jacobian } = compiled.evaluateJacobian(params);
    close(values, roots.map((r) => r.data));
    roots.forEach((root, i) => close(jacobian[i], eager(params, root), 1e-10, `${x}^${e} ${i}`));
  }
  set(params, [-2, 0.5]);
  assert.ok(Number.isNaN(compiled.evaluate(params).residuals[0]));
  const exponent = new Value(2), power = CompiledFunctions.compile([a], () => [V.powValue(a, exponent)]);
  assert.equal(power.evaluateGradient([a]).value, 4);
  exponent.data = 3;
  assert.deepEqual(power.evaluateGradient([a]), { value: -8, gradient: [12] });
});

test('a branch that was not taken when it was compiled is taken later', () => {
  const x = V.W(2), compiled = CompiledResiduals.compile([x], () => [V.ifThenElse(V.gt(x, 1), V.log(x), V.mul(x, 10))]);
  assert.deepEqual(compiled.evaluate([x]).J, [[0.5]]);
  x.data = -1;
  assert.deepEqual(compiled.evaluate([x]), { residuals: [-10], J: [[10]], cost: 100 });
});

test('numbers of the program: constants stay, parameters and values are read again', () => {
  const x = V.W(1), p = V.Param(3, 'p'), q = V.Param(3, 'q'), own = new Value(5), fixed = V.C(7);
  const compiled = CompiledFunctions.compile([x], () => [V.add(V.mul(x, V.mul(p, p)), V.add(q, V.mul(own, fixed)))]);
  const value = () => compiled.evaluateGradient([x]);
  assert.deepEqual(value(), { value: 9 + 3 + 35, gradient: [9] });
  p.data = 2;
  assert.deepEqual(value(), { value: 4 + 3 + 35, gradient: [4] });
  own.data = 1;
  fixed.data = 100;
  assert.deepEqual(value(), { value: 4 + 3 + 7, gradient: [4] });
  fixed.data = 7;
});

test('promises that are under way at once have the numbers of their calls', async () => {
  const x = V.W(1), p = V.Param(1, 'p'), compiled = CompiledFunctions.compile([x], () => Array.from({ length: 40 }, () => V.mul(x, p)), { fallbackThreshold: 0 });
  const asked = [];
  for (let i = 1; i <= 10; i++) {
    x.data = i;
    p.data = 10 * i;
    asked.push(compiled.evaluateSumWithGradientAsync([x]));
  }
  const got = await Promise.all(asked);
  got.forEach(({ value, gradient }, i) => assert.deepEqual([value, gradient[0]], [400 * (i + 1) ** 2, 400 * (i + 1)]));
});

test('two clamps with other bounds, and data of each instance, have one kernel', () => {
  const x = V.W(1.5), compiled = CompiledFunctions.compile([x], () => [V.clamp(x, 0, 1), V.clamp(x, 0, 2)]);
  assert.equal(compiled.kernelCount, 1);
  assert.deepEqual(compiled.evaluateJacobian([x]), { values: [1, 1.5], jacobian: [[0], [1]] });
});

test('the order of parameters makes no other kernel', () => {
  const [a, b, c] = [1, 5, 7].map((n) => V.W(n)), params = [a, b, c];
  const compiled = CompiledFunctions.compile(params, () => [V.sub(a, b), V.sub(b, c), V.sub(c, a), V.sub(a, a)]);
  assert.equal(compiled.kernelCount, 2);
  assert.deepEqual(compiled.evaluateJacobian(params), { values: [-4, -2, 6, 0], jacobian: [[1, -1, 0], [0, 1, -1], [-1, 0, 1], [0, 0, 0]] });
});

test('parameters without derivatives have a gradient of 0', () => {
  const x = V.W(3), p = V.Param(4, 'p'), compiled = CompiledFunctions.compile([x, p], () => [V.mul(x, p)]);
  assert.deepEqual(compiled.evaluateGradient([x, p]), { value: 12, gradient: [4, 0] });
  p.data = 5;
  assert.deepEqual(compiled.evaluateGradient([x, p]), { value: 15, gradient: [5, 0] });
});

test('what is computed without gradients is computed again', () => {
  const x = V.W(3), f = () => [V.mul(x, Value.withNoGrad(() => V.square(x)))];
  const compiled = CompiledFunctions.compile([x], f);
  assert.deepEqual(compiled.evaluateGradient([x]), { value: 27, gradient: [9] });
  x.data = 2;
  assert.deepEqual(compiled.evaluateGradient([x]), { value: 8, gradient: [4] });
  assert.deepEqual(eager([x], f()[0]), [4]);
});

test('operators of the program itself are evaluated as they are', async () => {
  const x = V.W(2), y = V.W(3);
  const cubeRoot = (a) => Value.make(Math.cbrt(a.data), a, null, (out) => () => { a.grad += out.grad / (3 * Math.cbrt(a.data) ** 2); }, 'cbrt', 'cbrt');
  const compiled = CompiledFunctions.compile([x, y], () => [V.mul(y, cubeRoot(x)), V.mul(x, y)]);
  for (const n of [8, 27]) {
    x.data = n;
    const want = { values: [3 * Math.cbrt(n), 3 * n], jacobian: [[1 / Math.cbrt(n) ** 2, Math.cbrt(n)], [3, n]] };
    assert.deepEqual(compiled.evaluateJacobian([x, y]), want);
    assert.deepEqual(await compiled.evaluateJacobianAsync([x, y]), want);
    assert.deepEqual(compiled.evaluateSumWithGradient([x, y]).gradient, [want.jacobian[0][0] + 3, want.jacobian[0][1] + n]);
  }
  assert.match(compiled.batches.at(-1).reason, /program itself/);
});

test('promises give the same', async () => {
  const x = V.W(0.3), y = V.W(2), params = [x, y];
  const f = () => Array.from({ length: 50 }, (_, i) => V.sub(V.exp(V.mul(x, i / 50)), V.mul(y, i)));
  for (const options of [{ fallbackThreshold: 1e6 }, { fallbackThreshold: 0 }, { batchSize: 7, fallbackThreshold: 0 }]) {
    const compiled = await CompiledFunctions.compileAsync(params, f, options), now = CompiledFunctions.compile(params, f, options);
    const wanted = now.evaluate(params);
    assert.deepEqual(await compiled.evaluateAsync(params), wanted);
    assert.deepEqual(await compiled.evaluateSumWithGradientAsync(params), now.evaluateSumWithGradient(params));
    assert.deepEqual(await compiled.evaluateJacobianAsync(params), { values: wanted.residuals, jacobian: wanted.J });
    assert.deepEqual(await compiled.evaluateGradientAsync(params), now.evaluateGradient(params));
    assert.equal(compiled.batches.length, options.batchSize ? 8 : 1);
  }
  const seen = [], compiled = await CompiledResiduals.compileAsync(params, f, 20, (...at) => seen.push(at));
  assert.deepEqual(seen, [[20, 50, 40], [40, 50, 80], [50, 50, 100]]);
  assert.equal(compiled.numResiduals, 50);
});

test('functions of no parameter, of a parameter alone, and none at all', () => {
  const x = V.W(4), compiled = CompiledFunctions.compile([x], () => [V.C(3), x, V.mul(V.C(2), V.C(5))]);
  assert.deepEqual(compiled.evaluateJacobian([x]), { values: [3, 4, 10], jacobian: [[0], [1], [0]] });
  assert.deepEqual(CompiledFunctions.compile([], () => [V.C(3)]).evaluate([]), { residuals: [3], J: [[]], cost: 9 });
  const none = CompiledFunctions.compile([x], () => []);
  assert.deepEqual(none.evaluate([x]), { residuals: [], J: [], cost: 0 });
  assert.deepEqual(none.evaluateSumWithGradient([x]), { value: 0, gradient: [0] });
  assert.throws(() => none.evaluateGradient([x]), /No functions compiled/);
});

test('deep and wide graphs need no stack', () => {
  const x = V.W(1);
  let deep = x;
  for (let i = 0; i < 100000; i++) deep = V.add(V.mul(deep, 1), 1e-5);
  assert.deepEqual(eager([x], deep), [1]);
  assert.ok(deep.label.length > 0);
  const wide = V.sum(Array.from({ length: 200000 }, () => x));
  assert.deepEqual(eager([x], wide), [200000]);
  let chain = x;
  for (let i = 0; i < 5000; i++) chain = V.sin(chain);
  close(CompiledFunctions.compile([x], () => [chain]).evaluateGradient([x]).gradient, eager([x], chain));
});

test('wrong arguments are errors that say so', () => {
  const x = V.W(1), other = V.W(2), f = () => [V.square(x)];
  for (const bad of [NaN, Infinity, '1', undefined, null]) assert.throws(() => new Value(bad), /Invalid number passed to Value/);
  assert.throws(() => V.div(x, 0), /Division by zero/);
  assert.throws(() => V.log(V.C(-1)), /Logarithm undefined/);
  assert.throws(() => V.sqrt(V.C(-1)), /sqrt of negative/);
  assert.throws(() => V.pow(x, NaN), /finite number/);
  assert.throws(() => CompiledFunctions.compile([1], f), /array of Values/);
  assert.throws(() => CompiledFunctions.compile([x], () => 3), /must return an array/);
  assert.throws(() => CompiledFunctions.compile([x], () => [x, 3]), /function 1 is no Value/);
  assert.throws(() => CompiledFunctions.compile([x], f).evaluate([other]), /Value not registered/);
  for (const options of [{ backend: 'tpu' }, { batchSize: 0 }, { batchSize: 1.5 }, { fallbackThreshold: -1 }, { precision: 'f16' }, { size: 3 }, 7]) {
    assert.throws(() => CompiledResiduals.compile([x], f, options), (error) => error.kind === 'invalid', JSON.stringify(options));
  }
  x.data = 1e200;
  const compiled = CompiledResiduals.compile([x], () => [V.log(x), V.sqrt(x), V.div(1, x)]);
  x.data = 0;
  assert.deepEqual(compiled.evaluate([x]).residuals, [-Infinity, 0, Infinity]);
  x.data = -1;
  const { residuals } = compiled.evaluate([x]);
  assert.ok(Number.isNaN(residuals[0]) && Number.isNaN(residuals[1]) && residuals[2] === -1);
});

test('labels, hashes of structure, code', () => {
  const a = V.W(1, 'a'), b = V.W(2, 'b');
  assert.equal(V.add(V.mul(a, b), V.sin(a)).label, '((a*b)+sin(a))');
  assert.equal(String(V.sub(a, b)), 'Value(data=-1.0000, grad=0.0000, label=(a-b))');
  const hash = (f) => new GraphBuilder([a, b]).build(f).signature.hash;
  assert.equal(hash(() => V.add(V.square(a), b)), hash(() => V.add(V.square(a), b)));
  assert.notEqual(hash(() => V.add(V.square(a), b)), hash(() => V.sub(V.square(a), b)));
  assert.notEqual(hash(() => V.clamp(a, 0, 1)), hash(() => V.clamp(a, 0, 2)));
  const node = V.max(a, b);
  assert.equal(node.getForwardCode(['x', 'y']), 'Math.max(x, y)');
  assert.equal(new Function('x', 'y', 'g', `let dx = 0, dy = 0; ${node.getBackwardCode('g', ['dx', 'dy'], ['x', 'y'])} return dy;`)(1, 2, 5), 5);
});
