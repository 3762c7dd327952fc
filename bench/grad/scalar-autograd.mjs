// SPDX-License-Identifier: Apache-2.0
//
// The same programs with ScalarAutograd and with weft-gpu/grad, side by side in one run: a sphere of
// triangles that is made developable (the energy of bench/grad's section "sphere").
//
//   node bench/grad/scalar-autograd.mjs [--rival=MODULE] [--levels=4] [SECTION...]
//
// MODULE is ScalarAutograd (github.com/mfagerlund/ScalarAutograd) as a module that Node.js can import, such as
// what `esbuild src/index.ts --bundle --format=esm --alias:scalar-autograd=./src/index.ts` makes. Without it
// there are the figures of Weft alone.
//
// Partitions are chosen once, at the start, as ScalarAutograd's own demo does: a compiled graph records
// the branch that was taken.
import path from 'node:path';
import { parseArgs } from 'node:util';
import { pathToFileURL } from 'node:url';

const { values: options, positionals } = parseArgs({
  options: { rival: { type: 'string' }, levels: { type: 'string', default: '4' }, small: { type: 'boolean' } }, allowPositionals: true,
});
const weft = await import('../../bindings/node/grad.mjs');
const { Context } = await import('../../bindings/node/context.mjs');
const rival = options.rival && await import(pathToFileURL(path.resolve(options.rival)).href);
const levels = options.small ? 1 : Number(options.levels);

// ---- the mesh and its energy ----

function icosphere(depth) {
  const t = (1 + Math.sqrt(5)) / 2, unit = (p) => p.map((c) => c / Math.hypot(...p));
  const vertices = [[-1, t, 0], [1, t, 0], [-1, -t, 0], [1, -t, 0], [0, -1, t], [0, 1, t],
    [0, -1, -t], [0, 1, -t], [t, 0, -1], [t, 0, 1], [-t, 0, -1], [-t, 0, 1]].map(unit);
  let faces = [[0, 11, 5], [0, 5, 1], [0, 1, 7], [0, 7, 10], [0, 10, 11], [1, 5, 9], [5, 11, 4],
    [11, 10, 2], [10, 7, 6], [7, 1, 8], [3, 9, 4], [3, 4, 2], [3, 2, 6], [3, 6, 8], [3, 8, 9],
    [4, 9, 5], [2, 4, 11], [6, 2, 10], [8, 6, 7], [9, 8, 1]];
  for (let level = 0; level < depth; level++) {
    const middles = new Map();
    const middle = (a, b) => {
      const key = Math.min(a, b) * 1e6 + Math.max(a, b);
      if (!middles.has(key))
        middles.set(key, vertices.push(unit(vertices[a].map((c, k) => c + vertices[b][k]))) - 1);
      return middles.get(key);
    };
    faces = faces.flatMap(([a, b, c]) => {
      const ab = middle(a, b), bc = middle(b, c), ca = middle(c, a);
      return [[a, ab, ca], [b, bc, ab], [c, ca, bc], [ab, bc, ca]];
    });
  }
  const next = vertices.map(() => new Map());
  for (const f of faces)
    for (let k = 0; k < 3; k++) next[f[k]].set(f[(k + 1) % 3], f[(k + 2) % 3]);
  const rings = next.map((of) => {
    const ring = [[...of.keys()][0]];
    while (ring.length < of.size) ring.push(of.get(ring.at(-1)));
    return ring;
  });
  return { vertices, rings };
}

function vertexEnergy({ V, Vec3 }, centre, ring) {
  const k = ring.length, edges = ring.map((p) => p.sub(centre));
  const normals = edges.map((e, i) => Vec3.cross(e, edges[(i + 1) % k]).normalized);
  const prefix = [Vec3.zero()];
  for (const n of normals) prefix.push(prefix.at(-1).add(n));
  const variance = (s, n) => V.sub(V.C(n), V.mul(V.C(1 / n), Vec3.dot(s, s)));
  let best = null;
  for (let p = 0; p < k; p++)
    for (let q = p + 1; q < k; q++) {
      const one = prefix[q].sub(prefix[p]), two = prefix[k].sub(one);
      const total = V.add(variance(one, q - p), variance(two, k - (q - p)));
      if (!best || total.data < best.data) best = total;
    }
  return best;
}

// ---- one side ----

const silently = (fn) => {
  const { log } = console;
  console.log = () => {};
  try { return fn(); } finally { console.log = log; }
};
const timed = (fn) => {
  const start = performance.now(), result = fn();
  return { result, ms: performance.now() - start };
};

/** The mesh compiled by one library: { params, compiled, ms }, kernels included. */
const prepare = (library, depth) => {
  const mesh = icosphere(depth), points = mesh.vertices.map(([x, y, z]) => library.Vec3.W(x, y, z));
  const params = points.flatMap((p) => [p.x, p.y, p.z]);
  const more = library === weft ? [{ backend: new Context({ adapter: 'cpu', noCache: true }) }] : [];
  const { result: compiled, ms } = silently(() => timed(() => {
    const made = library.CompiledResiduals.compile(params, () =>
      mesh.rings.map((ring, v) => vertexEnergy(library, points[v], ring.map((i) => points[i]))), ...more);
    made.evaluateSumWithGradient(params);
    return made;
  }));
  return { params, compiled, ms };
};

const evaluate = ({ params, compiled }) => {
  let best = Infinity, value;
  for (let i = 0; i < (options.small ? 3 : 250); i++) {
    const { result, ms } = timed(() => compiled.evaluateSumWithGradient(params));
    ({ value } = result);
    if (i >= 50 || options.small) best = Math.min(best, ms);
  }
  return { ms: best, value };
};

const solve = (library, method, depth, iterations) => {
  const { params, compiled } = prepare(library, depth);
  silently(() => compiled.evaluate && depth < 3 && compiled.evaluate(params));
  const given = { maxIterations: iterations, costTolerance: 1e-12, gradientTolerance: 1e-12, paramTolerance: 1e-12 };
  const { result, ms } = timed(() => library[method](params, compiled, given));
  return { ms, value: result.finalCost, iterations: result.iterations };
};

// ---- sections ----

const row = (what, other, own, unit = 'ms') => {
  const show = (side) => (side === undefined ? ''.padStart(24) : `${side.ms.toFixed(3).padStart(12)} ${unit} ${side.value.toPrecision(6).padStart(10)}`);
  const ratio = other ? `${(other.ms / own.ms).toFixed(1)} times as fast` : '';
  console.log(`  ${what.padEnd(52)}${show(other)} ${show(own)}   ${ratio}`);
};
const count = (depth) => 10 * 4 ** depth + 2;

const sections = {
  sphere() {
    const other = rival && prepare(rival, levels), own = prepare(weft, levels);
    const there = other && evaluate(other), here = evaluate(own);
    if (there && Math.abs(there.value - here.value) > 1e-9 * there.value) throw new Error(`${there.value} and ${here.value}`);
    row(`${count(levels)} vertices, value and gradient`, there, here);
    row(`the same, compiled from nothing (${other?.compiled.kernelCount ?? '-'} and ${own.compiled.kernelCount} kernels)`,
      other && { ms: other.ms, value: there.value }, { ms: own.ms, value: here.value });
  },
  least() {
    const depth = options.small ? 1 : 2, iterations = options.small ? 3 : 50;
    const there = rival && solve(rival, 'nonlinearLeastSquares', depth, iterations), here = solve(weft, 'nonlinearLeastSquares', depth, iterations);
    if (there && Math.abs(there.value - here.value) > 1e-3 * there.value) throw new Error(`${there.value} and ${here.value}`);
    row(`Levenberg-Marquardt, ${3 * count(depth)} parameters, ${here.iterations} iterations`, there, here);
  },
  lbfgs() {
    const depth = levels, more = options.small ? 1 : depth + 1, iterations = options.small ? 3 : 50;
    const there = rival && solve(rival, 'lbfgs', depth, iterations);
    row(`L-BFGS, ${count(depth)} vertices, ${iterations} iterations`, there, solve(weft, 'lbfgs', depth, iterations));
    row(`L-BFGS, ${count(more)} vertices here, ${count(depth)} there`, there, solve(weft, 'lbfgs', more, iterations));
  },
};

const chosen = positionals.length > 0 ? positionals : Object.keys(sections);
for (const name of chosen) {
  if (!Object.hasOwn(sections, name)) throw new Error(`there are the sections ${Object.keys(sections).join(', ')}, not '${name}'`);
}
console.log(`  ${''.padEnd(52)}${'ScalarAutograd, result'.padStart(26)} ${'Weft, result'.padStart(26)}`);
for (const name of chosen) sections[name]();
