// SPDX-License-Identifier: Apache-2.0
//
// store.test.mjs - files of tensors.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { openStore } from 'weft-gpu/store';
import { arange, Context, tensor, WeftError } from 'weft-gpu/tensor';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'weft-store-'));
after(() => fs.rmSync(folder, { recursive: true }));

test('tensors come back from every kind of file', async () => {
  const context = new Context();
  for (const name of ['a.safetensors', 'a.npz', 'models/']) {
    const options = { path: path.join(folder, name), model: name === 'models/' ? 'm' : undefined, context };
    const out = openStore({ ...options, write: true });
    const waiting = out.put('weight', arange(6, { context }).reshape(2, 3).mul(2));
    await waiting;
    await out.put('half', { data: [0.5], dtype: 'f32', shape: [1, 1] });
    await out.commit();
    const back = openStore(options);
    assert.deepEqual(back.names, ['half', 'weight']);
    assert.deepEqual(back.find('weight').shape, [2, 3]);
    assert.equal(back.find('none'), null);
    assert.deepEqual(await back.get('weight').array(), [[0, 2, 4], [6, 8, 10]]);
    assert.deepEqual(back.read('half'), Float32Array.of(0.5));
    assert.throws(() => back.read('none'), { kind: 'not-found', names: ['none'] });
    assert.throws(() => back.get('none'), { kind: 'not-found' });
    await assert.rejects(back.put('x', tensor([1], { context })), (error) => error instanceof WeftError);
  }
});

test('a folder lists, verifies and cleans its models; files have metadata', async () => {
  const store = openStore({ path: path.join(folder, 'models'), model: 'm' });
  assert.deepEqual(store.models.map(({ name, tensors }) => [name, tensors]), [['m', 2]]);
  let seen = 0;
  await store.verify({ progress: (done, total) => { seen = Math.max(seen, done); assert.ok(done <= total); } });
  assert.ok(seen > 0);
  await assert.rejects(store.verify({ progress: () => { throw new RangeError('stop'); } }), RangeError);
  const writer = openStore({ path: path.join(folder, 'models'), model: 'm', write: true });
  writer.deleteModel('m');
  assert.ok(await writer.clean() > 0);
  assert.equal(writer.usage.objects, 0);
  const file = openStore({ path: path.join(folder, 'meta.safetensors'), write: true });
  await file.put('a', [1]);
  file.setMetadata('format', 'pt');
  await file.commit();
  assert.deepEqual(openStore(path.join(folder, 'meta.safetensors')).metadata, { format: 'pt' });
});

test('files that are missing or broken are errors', () => {
  assert.throws(() => openStore(path.join(folder, 'none.safetensors')), { name: 'WeftError', kind: 'not-found' });
  fs.writeFileSync(path.join(folder, 'bad.safetensors'), 'nonsense nonsense');
  assert.throws(() => openStore(path.join(folder, 'bad.safetensors')), { kind: 'format' });
  assert.throws(() => openStore({ path: 3 }), { kind: 'invalid' });
  assert.throws(() => openStore({ pth: 'x' }), { kind: 'invalid' });
  assert.throws(() => openStore(undefined), { kind: 'invalid' });
});
