#!/usr/bin/env node
// SPDX-License-Identifier: Apache-2.0
//
// main.mjs - which sentence is about which picture? Three models share tensors on one device.
//
//   node examples/multimodal/js/main.mjs [--data DIR] [--vision DIR] [PICTURE.png ...] [--text SENTENCE ...]
//
// in     data that ../fetch.sh got, SqueezeNet in ../shared/data/vision, pictures, sentences
// out    a table: the cosine of each picture with each sentence
// knows  ConSE: a picture is the mean of the vectors of its five likeliest labels
// not    how the encoders work: minilm.mjs, squeezenet.mjs
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { TensorSharingIntegration, WebGPUTensorSharing } from '../../../bindings/node/tensor.mjs';
import { readLabels } from './labels.mjs';
import { MiniLM } from './minilm.mjs';
import { readPng } from './png.mjs';
import { SqueezeNet } from './squeezenet.mjs';

const top = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', '..', '..');
const LIKELIEST = 5;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    data: { type: 'string', default: path.join(top, 'build', 'multimodal') },
    vision: { type: 'string', default: path.join(top, '..', 'shared', 'data', 'vision', 'squeezenet1.1') },
    text: { type: 'string', multiple: true },
  },
});
const sentences = values.text ?? ['a cat', 'a cup of coffee', 'a motorcycle in a garage', 'a person in a space suit'];
const pictures = positionals.length > 0 ? positionals
  : ['chelsea.png', 'coffee.png', 'motorcycle_left.png', 'astronaut.png'].map((name) => path.join(values.data, 'pictures', name));
for (const [what, place] of [['the language model', path.join(values.data, 'minilm')], ['the labels', path.join(values.data, 'imagenet_classes.js')], ['SqueezeNet', values.vision]]) {
  if (!fs.existsSync(place)) { console.error(`${what} is not at ${place}: examples/multimodal/fetch.sh gets it, or give --data and --vision`); process.exit(1); }
}

// Lengths of rows become 1: one workgroup a row would do more, here one invocation does.
const normalize = `
  @group(0) @binding(0) var<storage, read> rows : array<f32>;
  @group(0) @binding(1) var<storage, read_write> units : array<f32>;
  const SIZE = 384u;
  @compute @workgroup_size(1) fn main(@builtin(workgroup_id) id : vec3u) {
    var sum = 0.0;
    for (var i = 0u; i < SIZE; i++) { let v = rows[id.x * SIZE + i]; sum += v * v; }
    for (var i = 0u; i < SIZE; i++) { units[id.x * SIZE + i] = rows[id.x * SIZE + i] * inverseSqrt(sum); }
  }`;

const sharing = new TensorSharingIntegration({ enablePersistence: false });
const gpu = new WebGPUTensorSharing(sharing, { browserOptimizations: false });
if (!await gpu.initialize()) process.exit(1);
const { context } = gpu.webgpuBackend;
const share = (name, t, owner) => sharing.registerSharedTensor(name, [...t.shape], t, 'webgpu', owner, [owner]);

// Two encoders, each with tensors under its own name.
const minilm = new MiniLM(path.join(values.data, 'minilm'), context), squeezenet = new SqueezeNet(values.vision, context);
const probabilities = squeezenet.encode(pictures.map(readPng));
await share('probabilities', probabilities, 'squeezenet');
await share('sentences', minilm.encode(sentences), 'minilm');

// The third model sees both. The labels that matter are few: the text encoder embeds those.
await gpu.shareTensorBetweenModels('probabilities', 'squeezenet', ['match']);
await gpu.shareTensorBetweenModels('sentences', 'minilm', ['match']);
const all = await probabilities.data();
const likeliest = pictures.map((_, p) => Array.from({ length: 1000 }, (__, i) => [i, all[p * 1000 + i]]).sort((a, b) => b[1] - a[1]).slice(0, LIKELIEST));
const classes = [...new Set(likeliest.flat().map(([i]) => i))], labels = readLabels(path.resolve(values.data, 'imagenet_classes.js'));
await share('labels', minilm.encode(classes.map((i) => labels[i])), 'minilm');
await gpu.shareTensorBetweenModels('labels', 'minilm', ['match']);
const weights = likeliest.flatMap((row) => classes.map((i) => row.find(([at]) => at === i)?.[1] ?? 0));
await sharing.registerSharedTensor('weights', [pictures.length, classes.length], Float32Array.from(weights), 'float32', 'match');

await gpu.matmul('weights', 'match', 'labels', 'match', 'projected', 'match');
await gpu.createCustomShader('normalize', normalize);
await gpu.executeCustomShader('normalize', { rows: { tensorName: 'projected', modelName: 'match' } },
  { units: { tensorName: 'pictures', shape: [pictures.length, 384], dataType: 'float32' } }, 'match', undefined, [pictures.length, 1, 1]);
await gpu.matmul('pictures', 'match', 'sentences', 'match', 'scores', 'match', false, true);

const scores = await (await sharing.getSharedTensor('scores', 'match')).readData();
const width = Math.max(...pictures.map((p) => path.basename(p).length));
console.log(`${' '.repeat(width)}  ${sentences.map((s) => s.padStart(8)).join('  ')}`);
pictures.forEach((picture, p) => {
  const row = sentences.map((s, i) => scores[p * sentences.length + i].toFixed(3).padStart(Math.max(8, s.length)));
  console.log(`${path.basename(picture).padEnd(width)}  ${row.join('  ')}  ${labels[likeliest[p][0][0]].split(',')[0]} ${likeliest[p][0][1].toFixed(2)}`);
});
gpu.dispose();
