// SPDX-License-Identifier: Apache-2.0
//
// check.test.mjs - the encoders of the example compute what their references say.
//
// SqueezeNet: the outputs that come with its weights. MiniLM: what PyTorch computed with the same
// weights (reference.json, by reference.py). Without data a test is left out.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Context, tensor } from '../../../bindings/node/tensor.mjs';
import { openStore } from '../../../bindings/node/store.mjs';
import { MiniLM } from './minilm.mjs';
import { SqueezeNet } from './squeezenet.mjs';

const here = path.dirname(fileURLToPath(import.meta.url)), top = path.join(here, '..', '..', '..');
const data = process.env.MULTIMODAL_DATA ?? path.join(top, 'build', 'multimodal');
const vision = path.join(top, '..', 'shared', 'data', 'vision', 'squeezenet1.1');
const without = (place) => (fs.existsSync(place) ? false : `${place} is missing`);

const distance = (got, want) => {
  assert.equal(got.length, want.length);
  return want.reduce((most, w, i) => Math.max(most, Math.abs(got[i] - w)), 0);
};

test('SqueezeNet gives the outputs that come with it', { skip: without(vision) }, async () => {
  const context = new Context(), net = new SqueezeNet(vision, context);
  for (const set of ['0', '1']) {
    const read = (name) => openStore({ path: path.join(vision, 'test_data_set', set, `${name}.npy`), context });
    const want = read('output_0').read('array'), got = await net.scores(read('input_0').get('array')).data();
    assert.ok(distance(got, want) < 2e-3, `set ${set}: ${distance(got, want)} at scores up to ${Math.max(...want)}`);
  }
});

test('MiniLM gives the tokens, hidden states and vectors of PyTorch', { skip: without(path.join(data, 'minilm')) }, async () => {
  const context = new Context(), model = new MiniLM(path.join(data, 'minilm'), context);
  const rows = JSON.parse(fs.readFileSync(path.join(here, '..', 'reference.json'), 'utf8'));
  for (const { text, tokens, states, vector } of rows) {
    assert.deepEqual(model.tokenizer.encode(text), tokens, text);
    const ids = tensor(Int32Array.from(tokens), { shape: [1, tokens.length], context });
    for (const [i, state] of model.hiddenStates(ids).entries()) {
      const got = await state.data();
      assert.ok(distance(got.subarray(0, 4), states[i].first) < 2e-4, `${text}: layer ${i}`);
      assert.ok(Math.abs(got.reduce((sum, v) => sum + Math.abs(v), 0) / got.length - states[i].mean) < 1e-4, `${text}: mean of layer ${i}`);
    }
    assert.ok(distance(await model.encode([text]).data(), vector) < 2e-5, text);
  }
  // In one batch, with padding that no text sees.
  const all = await model.encode(rows.map(({ text }) => text)).data();
  rows.forEach(({ text, vector }, i) => assert.ok(distance(all.subarray(i * 384, (i + 1) * 384), vector) < 2e-5, `${text} in a batch`));
});
