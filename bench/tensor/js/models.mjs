// SPDX-License-Identifier: Apache-2.0
//
// models.mjs - the encoders of examples/multimodal end to end; rivals.py has them in ONNX Runtime.
//
//   node bench/tensor/js/models.mjs [DATA] [VISION]
//
// out    a line for each: its name, milliseconds (the shortest), a number to compare results by
//
// Kernels are compiled twice, the fast version beside the first runs: these last until no run has
// been much faster than those before it for a while.
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Context, tensor } from '../../../bindings/node/tensor.mjs';
import { MiniLM } from '../../../examples/multimodal/js/minilm.mjs';
import { SqueezeNet } from '../../../examples/multimodal/js/squeezenet.mjs';

const top = path.join(path.dirname(fileURLToPath(import.meta.url)), '..', '..', '..');
const [data = path.join(top, 'build', 'multimodal'), vision = path.join(top, '..', 'shared', 'data', 'vision', 'squeezenet1.1')] = process.argv.slice(2);
const context = new Context({ threads: 2 });
const minilm = new MiniLM(path.join(data, 'minilm'), context), squeezenet = new SqueezeNet(vision, context);

// The same inputs as in rivals.py.
const tokens = Int32Array.from({ length: 128 }, (_, i) => 1000 + i * 7);
const picture = Float32Array.from({ length: 3 * 224 * 224 }, (_, i) => (i % 255) / 255 - 0.5);

const RUNS = 40, SETTLED = 1500;        // runs, and milliseconds without a faster one

const measure = async (name, run) => {
  let result, least = Infinity, last = performance.now();
  for (let i = 0; i < RUNS || performance.now() - last < SETTLED; i++) {
    const start = performance.now();
    result = await run();
    const took = performance.now() - start;
    if (took < 0.95 * least) last = performance.now();
    least = Math.min(least, took);
  }
  console.log(`${name} ${least.toFixed(3)} ${result[7].toFixed(4)}`);
};
await measure('minilm', () => minilm.hiddenStates(tensor(tokens, { shape: [1, 128], context })).at(-1).data());
await measure('squeezenet', () => squeezenet.scores(tensor(picture, { shape: [1, 3, 224, 224], context })).data());
