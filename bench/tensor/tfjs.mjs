// SPDX-License-Identifier: Apache-2.0
//
// tfjs.mjs - weft-gpu/tensor beside TensorFlow.js, whose WebGPU backend runs on Weft's own device.
//
//   node tfjs.mjs WEFT [ROW...]
//
// in     WEFT: the folder of Weft's Node.js package; PACKAGES: one with TensorFlow.js
// out    a table: the shortest of two turns each, and the ratio; the geometric mean. Fails if a
//        row cannot be run or the results differ
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const [weft, ...rows] = process.argv.slice(2), TURNS = 2;
const program = fileURLToPath(new URL('../libraries/rows.mjs', import.meta.url));

/** [{ row, ms, sum } or { row, error }] of one process. */
const measure = (library) => execFileSync(process.execPath, [program, library, weft, ...rows], {
  encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
  .split('\n').filter((line) => line.startsWith('{')).map((line) => JSON.parse(line));

const best = { weft: new Map(), tfjs: new Map() };
for (let turn = 0; turn < TURNS; turn++) {
  for (const [library, of] of Object.entries(best)) {
    for (const r of measure(library)) {
      const old = of.get(r.row);
      of.set(r.row, old && !old.error && !(r.ms < old.ms) ? old : r);
    }
  }
}

const alike = (x, y) => Math.abs(x - y) <= 1e-2 * Math.max(1, Math.abs(x));
const ratios = [];
let wrong = 0;
console.log(`${'row'.padEnd(14)}${'Weft ms'.padStart(10)}${'tfjs ms'.padStart(10)}${'ratio'.padStart(8)}`);
for (const [row, ours] of best.weft) {
  const theirs = best.tfjs.get(row) ?? { error: 'tfjs has no such row' };
  if (ours.error || theirs.error || !alike(theirs.sum, ours.sum)) {
    console.log(`${row.padEnd(14)} ${ours.error ?? theirs.error ?? `sums ${ours.sum} and ${theirs.sum}`}`);
    wrong++;
    continue;
  }
  const ratio = ours.ms / theirs.ms;
  ratios.push(ratio);
  console.log(`${row.padEnd(14)}${ours.ms.toFixed(3).padStart(10)}${theirs.ms.toFixed(3).padStart(10)}${ratio.toFixed(2).padStart(8)}`);
}
const mean = Math.exp(ratios.reduce((x, y) => x + Math.log(y), 0) / ratios.length);
console.log(`geometric mean of ${ratios.length} rows: ${mean.toFixed(3)}`);
process.exit(wrong ? 1 : 0);
