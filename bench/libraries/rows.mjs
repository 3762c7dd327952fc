// SPDX-License-Identifier: Apache-2.0
//
// rows.mjs - operations of a tensor library on one build of Weft, timed.
//
//   node rows.mjs LIBRARY WEFT [ROW...]
//
// in     LIBRARY: tfjs, ort or jax, from the folder of packages in PACKAGES, or weft; WEFT: the
//        folder of a Node.js package of Weft, old or new
// out    a line of JSON for each row: its name, the milliseconds of a run by the clock and
//        of processor time, those of the first one, and a sum over the result, by which builds can be compared
//        KERNELS, if set, is a folder that gets the text of every shader module
// knows  how often a row runs
// not    what the libraries do for it
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

process.env.WEFT_TIERS ??= 'off';        // the fast versions of kernels from the start
const [library, weft, ...only] = process.argv.slice(2);
const require = createRequire(path.join(path.resolve(process.env.PACKAGES), 'package.json'));
const { create, globals } = await import(pathToFileURL(path.resolve(weft, 'index.mjs')).href);

Object.assign(globalThis, globals);
const gpu = create({ cache: 'off' });
Object.defineProperty(globalThis, 'navigator', {
  value: { gpu, userAgent: 'node', platform: 'linux', hardwareConcurrency: 2 }, configurable: true });

let seed = 1;
/** Numbers from -0.5 to 0.5, the same in every run. */
export const numbers = (n) => Float32Array.from({ length: n }, () => {
  seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
  return seed / 4294967296 - 0.5;
});

const BUDGET = 700, LEAST = 5, MOST = 60;       // milliseconds and runs of a row

/** The shortest run, after a first one that also compiles. */
const time = async (run) => {
  const started = performance.now();
  const result = await run(true);
  const first = performance.now() - started;
  let least = Infinity, cpu = Infinity;
  for (let i = 0; i < MOST && (i < LEAST || performance.now() - started - first < BUDGET); i++) {
    const from = performance.now(), used = process.cpuUsage();
    await run(false);
    least = Math.min(least, performance.now() - from);
    const { user, system } = process.cpuUsage(used);
    cpu = Math.min(cpu, (user + system) / 1000);
  }
  return { ms: least, cpu, first, sum: result.reduce((x, y) => x + Number(y), 0) };
};

/* Shader modules of the row that runs become files. */
let current = '', modules = 0;
if (process.env.KERNELS) {
  const device = globalThis.GPUDevice.prototype, make = device.createShaderModule;
  device.createShaderModule = function (descriptor) {
    const name = `${library}-${current.replaceAll(' ', '-')}-${modules++}.wgsl`;
    fs.writeFileSync(path.join(process.env.KERNELS, name), descriptor.code);
    return make.call(this, descriptor);
  };
}

const { open } = await import(`./${library}.mjs`);
for (const [name, make] of await open({ require, gpu, numbers, weft })) {
  if (only.length && !only.some((part) => name.includes(part))) continue;
  current = name;
  modules = 0;
  try {
    console.log(JSON.stringify({ library, row: name, ...await time(await make()) }));
  } catch (error) {
    console.log(JSON.stringify({ library, row: name, error: String(error).slice(0, 300) }));
  }
}
process.exit(0);
