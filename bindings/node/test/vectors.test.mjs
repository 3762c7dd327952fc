// SPDX-License-Identifier: Apache-2.0
//
// vectors.test.mjs - index, self-organising map, projection.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { Context } from 'weft-gpu/context';
import { Projection, SelfOrganisingMap, VectorIndex } from 'weft-gpu/vectors';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'weft-vectors-'));
after(() => fs.rmSync(folder, { recursive: true }));
const context = new Context();

/** Rows around four centres, the same each time. */
const rows = (count, dimension) => {
  let seed = 1;
  const random = () => { seed = seed * 48271 % 2147483647; return seed / 2147483647; };
  const centres = Array.from({ length: 4 }, () => Array.from({ length: dimension }, () => random() * 10 - 5));
  return Array.from({ length: count }, (_, i) => centres[i % 4].map((c) => c + random() - 0.5));
};

test('an index finds the nearest, keeps ids, and comes back from a file', async () => {
  const index = new VectorIndex({ dimension: 3, context });
  await index.insert([[1, 0, 0], [0, 1, 0], [0, 0.9, 0.1]], [10, 20, 30]);
  const [[first, second]] = await index.search([0, 1, 0], { count: 2 });
  assert.deepEqual([first.id, second.id], [20, 30]);
  assert.ok(Math.abs(first.score - 1) < 1e-6);
  assert.equal((await index.search([[1, 0, 0], [0, 1, 0]], { count: 9 }))[1].length, 3);
  await index.replace([[0, 0, 2]], [20]);
  await index.remove([30]);
  assert.deepEqual(await index.ids(), [10, 20]);
  assert.deepEqual(await index.get([20]), [Float32Array.of(0, 0, 1)]);
  const file = path.join(folder, 'index.safetensors');
  await index.save(file);
  assert.equal(VectorIndex.load(file, { context }).info.count, 2);
  await assert.rejects(index.insert([[1, NaN, 2]]), { name: 'WeftError', kind: 'invalid' });
  await assert.rejects(index.insert([[1, 2]]), { kind: 'shape' });
  await assert.rejects(index.insert([[1, 2, 3]], [10]), { kind: 'exists' });
  await assert.rejects(index.insert([[1, 2, 3]], [1, 2]), { kind: 'shape' });
  await assert.rejects(index.replace([[1, 2, 3]]), { kind: 'shape' });
  await assert.rejects(index.remove([77]), { kind: 'not-found' });
  assert.throws(() => new VectorIndex({ dimension: 0, context }), { name: 'WeftError' });
  assert.throws(() => new VectorIndex({ dimension: 3, metrik: 'dot', context }), { kind: 'invalid' });
});

test('a map separates groups, and its state continues', async () => {
  const data = rows(400, 5), map = new SelfOrganisingMap({ dimension: 5, width: 8, height: 6, seed: 1, context });
  let told = 0;
  await map.train(data, { epochs: 5, progress: (done, total) => { told = done; assert.equal(total, 5); } });
  assert.ok(told > 0);
  const places = await map.match(data.slice(0, 8));
  assert.ok(map.distance(places[0].unit, places[4].unit) < map.distance(places[0].unit, places[1].unit));
  const { explainedVariance, topographicError } = await map.quality(data);
  assert.ok(explainedVariance > 0.9 && topographicError < 0.3);
  assert.equal((await map.hits(data)).reduce((a, b) => a + b), 400);
  assert.deepEqual([(await map.umatrix()).length, (await map.plane(2)).length, (await map.weights()).length], [48, 48, 48]);
  const again = SelfOrganisingMap.restore(await map.state(), { context });
  assert.deepEqual([again.width, again.height, again.dimension], [8, 6, 5]);
  assert.deepEqual(await again.match(data.slice(0, 8)), places);
  await again.update(data.slice(0, 10));
});

test('a projection finds the plane of a sheet', async () => {
  const sheet = Float32Array.from({ length: 600 }, (_, i) => [Math.floor(i / 3) % 20, Math.floor(i / 60), Math.floor(i / 3) % 20][i % 3]);
  const projection = new Projection({ dimension: 3, context });
  await projection.update(sheet);
  const { share, count } = await projection.info(), { axes, mean } = await projection.axes();
  assert.equal(count, 200);
  assert.ok(share[0] + share[1] > 0.9999 && share[2] < 1e-4);
  assert.deepEqual([axes.length, mean.length], [3, 3]);
  const at = await projection.apply(sheet);
  assert.ok(at.every((row) => Math.abs(row[2]) < 1e-3));
  const again = Projection.restore(await projection.state(), { dimension: 3, context });
  assert.deepEqual(await again.apply(sheet), at);
});
