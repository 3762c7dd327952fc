// SPDX-License-Identifier: Apache-2.0
//
// grad-solve.test.mjs - weft-gpu/grad: solvers, devices, kernels, formulas.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Context, whyUnavailable } from 'weft-gpu/context';
import * as grad from 'weft-gpu/grad';
import { developable } from './icosphere.mjs';

const {
  Adam, AdamW, CompiledFunctions, CompiledResiduals, CompiledResidualsGPU, GPUBatchExecutor, GPUCompiledFunctions, SGD, V, Value, WGSLKernel,
  WebGPUContext, compileToWGSL, disableGPU, enableGPU, lbfgs, lbfgsAsync, nonlinearLeastSquares, nonlinearLeastSquaresAsync,
} = grad;

const close = (got, want, tolerance = 1e-9) => assert.ok(Math.abs(got - want) <= tolerance * Math.max(1, Math.abs(want)), `${got}, not ${want}`);
const timeless = ({ computationTime, ...rest }) => { assert.ok(computationTime >= 0); return rest; };

// ---- least squares ----

/** y = a exp(-b x) + c at twenty points, without noise. */
const decay = () => {
  const params = [V.W(1), V.W(0.1), V.W(0)], [a, b, c] = params;
  const residuals = () => Array.from({ length: 20 }, (_, i) => {
    const x = i / 4, y = 2.5 * Math.exp(-1.3 * x) + 0.5;
    return V.sub(V.add(V.mul(a, V.exp(V.neg(V.mul(b, x)))), c), y);
  });
  return { params, residuals };
};
const data = (params) => params.map((p) => p.data);

test('least squares: recorded, compiled, dispatched and as a promise take the same steps', async () => {
  const runs = [];
  for (const options of [undefined, {}, { fallbackThreshold: 0 }, { batchSize: 6, fallbackThreshold: 0 }]) {
    for (const isLater of [false, true]) {
      const { params, residuals } = decay(), source = options ? CompiledResiduals.compile(params, residuals, options) : residuals;
      const given = { gradientTolerance: 1e-9, costTolerance: 1e-14 };
      const result = isLater ? await nonlinearLeastSquaresAsync(params, source, given) : nonlinearLeastSquares(params, source, given);
      assert.equal(result.success, true);
      [2.5, 1.3, 0.5].forEach((want, i) => close(params[i].data, want, 1e-5));
      runs.push([result.iterations, result.convergenceReason]);
    }
  }
  for (const run of runs) assert.deepEqual(run, runs[0]);
});

test('least squares: QR, a line search, a trust region', () => {
  for (const options of [{ useQR: true }, { adaptiveDamping: false }, { adaptiveDamping: false, useQR: true }, { trustRegionRadius: 0.2 }]) {
    const { params, residuals } = decay();
    const result = nonlinearLeastSquares(params, CompiledResiduals.compile(params, residuals), { ...options, costTolerance: 1e-12 });
    assert.equal(result.success, true, JSON.stringify([options, result]));
    close(params[1].data, 1.3, 1e-3);
  }
});

test('least squares: fewer residuals than parameters, many parameters', () => {
  const params = Array.from({ length: 60 }, (_, i) => V.W(i / 10));
  const few = () => [V.sub(V.sum(params), 10), V.sub(V.mul(params[0], params[59]), 1)];
  const result = V.nonlinearLeastSquares(params, CompiledResiduals.compile(params, few));
  assert.equal(result.success, true);
  assert.ok(result.finalCost < 1e-6, String(result.finalCost));
  const chain = Array.from({ length: 2500 }, () => V.W(0));
  const springs = () => chain.map((p, i) => (i === 0 ? V.sub(p, 1) : V.sub(V.sub(p, chain[i - 1]), 1e-3)));
  const long = nonlinearLeastSquares(chain, CompiledResiduals.compile(chain, springs), { initialDamping: 1e-10, costTolerance: 1e-12 });
  assert.equal(long.success, true, JSON.stringify(long));
  close(chain.at(-1).data, 1 + 2.499, 1e-3);
});

test('least squares: the reasons to end', () => {
  const x = V.W(1), solve = (residuals, options) => timeless(nonlinearLeastSquares([x], residuals, options));
  assert.deepEqual(solve(() => [V.sub(x, 1)]), { success: true, iterations: 0, finalCost: 0, convergenceReason: 'Gradient tolerance reached' });
  x.data = 3;
  assert.equal(solve(() => [V.exp(V.neg(x))], { maxIterations: 2, costTolerance: 1e-30, gradientTolerance: 0, paramTolerance: 0 }).convergenceReason, 'Max iterations reached');
  x.data = 3;
  assert.equal(solve(() => [V.add(V.square(x), 1)], { paramTolerance: 10 }).convergenceReason, 'Parameter tolerance reached');
  x.data = 1;
  const wrong = () => [Value.make(x.data, x, null, () => () => { x.grad -= 1; }, 'wrong')];
  assert.equal(solve(wrong, { paramTolerance: 0 }).convergenceReason, 'Damping adjustment failed');
  assert.equal(solve(wrong, { adaptiveDamping: false }).convergenceReason, 'Line search failed');
  assert.throws(() => nonlinearLeastSquares([x], 3), /function or compiled/);
});

// ---- minimisation ----

const rosenbrock = ([x, y]) => V.add(V.square(V.sub(1, x)), V.mul(5, V.square(V.sub(y, V.square(x)))));

test('L-BFGS: recorded, compiled and as a promise take the same steps', async () => {
  const results = [];
  for (const compile of [false, true]) {
    for (const solve of [lbfgs, lbfgsAsync]) {
      const params = [V.W(-0.5), V.W(0.5)], seen = [];
      const objective = compile ? V.compileObjective(params, rosenbrock) : rosenbrock;
      const result = await solve(params, objective, { maxIterations: 200, costTolerance: 1e-12, onStepAccepted: () => seen.push(data(params)) });
      assert.equal(result.success, true, JSON.stringify(result));
      assert.equal(seen.length, result.iterations);
      params.forEach((p) => close(p.data, 1, 1e-3));
      results.push([result.iterations, result.functionEvaluations, result.convergenceReason]);
    }
  }
  for (const result of results) assert.deepEqual(result, results[0]);
});

test('L-BFGS: limits and reasons', () => {
  const x = V.W(0), square = () => V.square(x);
  assert.equal(lbfgs([x], square).convergenceReason, 'Initial gradient below tolerance');
  assert.equal(lbfgs([V.W(-0.5), V.W(0.5)], rosenbrock, { maxIterations: 1 }).convergenceReason, 'Maximum iterations reached');
  assert.throws(() => lbfgs([x], square, { c1: 0 }), /c1 must be in/);
  assert.throws(() => lbfgs([x], square, { c1: 0.5, c2: 0.4 }), /c2 must be in/);
  assert.throws(() => lbfgs([x], 7), /function or compiled/);
  x.data = 1;
  const log = V.compileObjective([x], () => V.sub(V.mul(x, 2), V.log(x)));
  assert.equal(lbfgs([x], log, { initialStepSize: 50 }).success, true);   // steps to where it is not defined are shortened
  close(x.data, 0.5, 1e-3);
});

test('SGD, Adam and AdamW', () => {
  for (const [Method, options] of [[SGD, { learningRate: 0.1 }], [Adam, { learningRate: 0.1 }], [AdamW, { learningRate: 0.1, weightDecay: 0 }]]) {
    const x = V.W(5), fixed = V.C(3), method = new Method([x, fixed], options);
    for (let i = 0; i < 300; i++) {
      method.zeroGrad();
      V.square(V.sub(x, 2)).backward();
      method.clipGradients(100);
      method.step();
    }
    close(x.data, 2, 1e-2);
    method.resetStateFor(x);
  }
  const w = V.W(1), decays = new AdamW([w], { learningRate: 0.1, weightDecay: 0.5 });
  decays.step();
  assert.equal(w.data, 0.95);
});

// ---- devices ----

const backends = ['cpu', 'gpu', 'auto', ...(whyUnavailable({ adapter: 'vulkan' }) === null ? ['vulkan'] : [])];

test(`a developable sphere on ${backends.join(', ')}`, async () => {
  const first = developable(1), want = first.residuals().reduce((sum, r) => sum + r.data, 0);
  let gradient;
  for (const backend of backends) {
    const { params, residuals } = developable(1);
    const compiled = CompiledResiduals.compile(params, residuals, { backend, fallbackThreshold: 4, batchSize: 16 });
    const tolerance = compiled.precision === 'f64' ? 1e-10 : 1e-4, now = compiled.evaluateSumWithGradient(params);
    close(now.value, want, tolerance);
    gradient ??= now.gradient;
    now.gradient.forEach((g, i) => close(g, gradient[i], tolerance));
    assert.deepEqual(await compiled.evaluateSumWithGradientAsync(params), now);
    assert.ok(compiled.kernelCount < 20);
    const result = lbfgs(params, compiled, { maxIterations: 10 });
    assert.ok(result.finalCost < want * 0.8, `${backend}: ${result.finalCost}`);
    assert.ok(compiled.batches.some((b) => !b.immediate), compiled.batches[0].reason);
  }
});

test('GPU by default, by class, and back', async () => {
  const x = V.W(3), f = () => [V.square(x)];
  const device = enableGPU({ fallbackThreshold: 0 });
  assert.equal(typeof device.name, 'string');
  const compiled = CompiledResiduals.compile([x], f);
  assert.equal(compiled.backend, device.hardwareGpu ? 'gpu' : 'cpu');
  assert.equal(compiled.batches[0].immediate, false);
  disableGPU();
  assert.equal(CompiledResiduals.compile([x], f).backend, 'cpu');
  const own = CompiledResidualsGPU.compile([x], f);
  assert.ok(own instanceof CompiledResiduals && own.backendReason.length > 0);
  assert.deepEqual(own.evaluate([x]), { residuals: [9], J: [[6]], cost: 81 });
  const later = await GPUCompiledFunctions.compile([x], f);
  assert.deepEqual(await later.evaluateSumWithGradient([x]), { value: 9, gradient: [6] });
  assert.deepEqual(await later.evaluateJacobian([x]), { values: [9], jacobian: [[6]] });
  assert.throws(() => enableGPU({ backend: 'no' }), (error) => error.kind === 'invalid');
  const context = new Context({ adapter: 'cpu' });
  assert.equal(CompiledFunctions.compile([x], f, { backend: context }).context, context);
});

test('single precision is close, and says what it is', () => {
  const x = V.W(0.3), f = () => Array.from({ length: 40 }, (_, i) => V.sin(V.mul(x, i)));
  const exact = CompiledFunctions.compile([x], f).evaluateSumWithGradient([x]);
  for (const precision of ['f32', 'mixed']) {
    const compiled = CompiledFunctions.compile([x], f, { precision, fallbackThreshold: 0 });
    assert.equal(compiled.precision, precision);
    const { value, gradient } = compiled.evaluateSumWithGradient([x]);
    close(value, exact.value, 1e-4);
    close(gradient[0], exact.gradient[0], 1e-4);
    assert.notEqual(value, exact.value);
  }
});

test('the kernel of a*2 + b, on a device of WebGPU', async () => {
  const a = V.W(0, 'a'), b = V.W(0, 'b');
  const { wgslCode, graphInputs, nodeToVar } = compileToWGSL(V.add(V.mul(a, V.C(2)), b));
  assert.deepEqual(graphInputs, [a, b]);
  assert.deepEqual([nodeToVar.get(a), nodeToVar.get(b)], ['a', 'b']);
  assert.match(wgslCode, /let a = inputs\[idx \* 2 \+ 0\];\n\s*let b = inputs\[idx \* 2 \+ 1\];\n\s*let v0 = a \* 2\.0;\n\s*let v1 = v0 \+ b;\n\s*outputs\[idx\] = v1;/);
  const shared = WebGPUContext.getInstance();
  assert.throws(() => shared.device, /not initialized/);
  await shared.initialize();
  assert.equal(WebGPUContext.getInstance().device, shared.device);
  const kernel = new WGSLKernel(shared.device, wgslCode, graphInputs);
  assert.deepEqual([...await kernel.execute(Float32Array.of(1, 2, 3, 4, 5, 6, -2, 10), 4)], [4, 10, 16, 6]);
  assert.deepEqual([...await kernel.execute([], 0)], []);
  await assert.rejects(kernel.execute([1, 2, 3], 2), /3 inputs for 2 instances of 2/);
  WebGPUContext.reset();
  assert.throws(() => compileToWGSL(3), (error) => error.kind === 'invalid');
});

test('a batch of one graph: values and gradients', async () => {
  const a = V.W(1, 'a'), b = V.W(1, 'a'), executor = new GPUBatchExecutor(V.add(V.exp(V.mul(a, b)), V.pow(b, 3)), { fallbackThreshold: 8 });
  for (const count of [0, 3, 100]) {
    const inputs = Float64Array.from({ length: 2 * count }, (_, i) => Math.sin(i)), at = (i) => [inputs[2 * i], inputs[2 * i + 1]];
    const { values, gradients } = executor.executeWithGradient(inputs);
    assert.equal(values.length, count);
    for (let i = 0; i < count; i++) {
      const [x, y] = at(i), e = Math.exp(x * y);
      close(values[i], e + y ** 3);
      close(gradients[2 * i], y * e);
      close(gradients[2 * i + 1], x * e + 3 * y * y);
    }
    assert.deepEqual(executor.execute(inputs, count), values);
    assert.deepEqual(await executor.executeAsync(inputs), values);
    assert.deepEqual(await executor.executeWithGradientAsync(inputs), { values, gradients });
    assert.equal(executor.info.count, count);
  }
  assert.throws(() => executor.execute([1, 2, 3]), /3 inputs/);
});

// ---- formulas ----

test('formulas: derivatives as code agree with differences', () => {
  const { parse, computeGradients, simplify, generateCode, generateGradientFunction } = grad;
  const texts = ['sin(x) * y ** 2', 'a = x * y; b = a ** 2 + x\noutput = exp(-b / 10) + a', 'atan2(y, x) + sqrt(x * x + y * y) / (1 + x)', 'max(x, y) * tanh(x - y) - -x',
    'x ** y + 2e-1 ** x', 'dot(Vec2(x, y), Vec2(y, 3)) + Vec2(x * y, 2).magnitude'];
  for (const text of texts.slice(0, 5)) {
    const program = parse(text), gradients = computeGradients(program, ['x', 'y']);
    for (const [name, node] of gradients) gradients.set(name, simplify(node));
    const inner = program.assignments.map(({ variable }) => variable).filter((name) => gradients.has(name) && name !== program.output);
    assert.equal(inner.length, text.includes('a =') ? 2 : 0);
    const f = new Function(`${generateGradientFunction(program, gradients, 'f', ['x', 'y'])}\nreturn f;`)();
    const x = 0.7, y = 1.3, h = 1e-6, got = f(x, y).gradients;
    close(got.x, (f(x + h, y).value - f(x - h, y).value) / (2 * h), 1e-6);
    close(got.y, (f(x, y + h).value - f(x, y - h).value) / (2 * h), 1e-6);
  }
  assert.equal(generateCode(simplify(grad.differentiate(parse(texts[5]).assignments[0].expression, 'x'))).includes('NaN'), false);
  assert.equal(generateCode(parse('a - (b - c) * (-2) ** 2').assignments[0].expression), 'a - (b - c) * Math.pow(-2, 2)');
});

test('formulas: wrong ones are errors with a place', () => {
  for (const [text, message] of [['x +', /position 3/], ['(x', /closing parenthesis/], ['x $ y', /'\$' at position 2/], ['sin(x', /parenthesis/], ['v.', /component name/], [`${'('.repeat(9999)}x`, /nested more than/]]) {
    assert.throws(() => grad.parse(text), message, text);
  }
  assert.throws(() => grad.computeGradients({ assignments: [], output: 'y' }, ['x']), /'y' not found/);
  assert.throws(() => grad.differentiate(grad.parse('nothing(x)').assignments[0].expression, 'x'), /Unknown function: nothing/);
});
