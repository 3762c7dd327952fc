// SPDX-License-Identifier: Apache-2.0
//
// compare.mjs - two builds of Weft, row by row of rows.mjs.
//
//   node compare.mjs BASE WEFT [--turns=N] [--cpu-time] [--rows=ROW,...] [LIBRARY...]
//
// in     the folders of two Node.js packages of Weft
// out    a table: the shortest run of each, and the ratio; the geometric mean. Fails if a
//        row cannot be run or the results differ
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const [base, weft, ...words] = process.argv.slice(2);
const option = (name, otherwise) => words.find((w) => w.startsWith(`--${name}=`))?.split('=')[1] ?? otherwise;
const turns = Number(option('turns', 2)), rows = option('rows', '').split(',').filter(Boolean);
const clock = words.includes('--cpu-time') ? 'cpu' : 'ms';
const asked = words.filter((w) => !w.startsWith('--'));
const libraries = asked.length ? asked : ['tfjs', 'ort', 'jax'];

/** { row: { ms, cpu, first, sum } } of one process. */
const measure = (library, folder) => Object.fromEntries(
  execFileSync(process.execPath, [fileURLToPath(new URL('rows.mjs', import.meta.url)), library, folder, ...rows],
    { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
    .split('\n').filter((line) => line.startsWith('{')).map((line) => JSON.parse(line)).map((r) => [r.row, r]));

const better = (x, y) => (!x || x.error ? y : y.error ? x
  : { ...x, ms: Math.min(x.ms, y.ms), cpu: Math.min(x.cpu, y.cpu), first: Math.min(x.first, y.first) });

const merge = (all, turn) => {
  for (const [row, r] of Object.entries(turn)) all[row] = better(all[row], r);
  return all;
};

const alike = (x, y) => Math.abs(x - y) <= 1e-2 * Math.max(1, Math.abs(x));
const ratios = [];
let wrong = 0;
console.log(`${'library'.padEnd(8)}${'row'.padEnd(17)}${'base ms'.padStart(10)}${'Weft ms'.padStart(10)}${'ratio'.padStart(8)}${'first'.padStart(9)}`);
for (const library of libraries) {
  const was = {}, is = {};
  for (let i = 0; i < turns; i++) {
    merge(was, measure(library, base));
    merge(is, measure(library, weft));
  }
  for (const [row, now] of Object.entries(is)) {
    const old = was[row], name = `${library.padEnd(8)}${row.padEnd(17)}`;
    if (!old || old.error || now.error || !alike(old.sum, now.sum)) {
      console.log(`${name} ${now.error ?? old?.error ?? `sums ${old?.sum} and ${now.sum}`}`);
      wrong++;
      continue;
    }
    const ratio = now[clock] / old[clock];
    ratios.push(ratio);
    console.log(`${name}${old[clock].toFixed(3).padStart(10)}${now[clock].toFixed(3).padStart(10)}${ratio.toFixed(2).padStart(8)}${now.first.toFixed(0).padStart(9)}`);
  }
}
const mean = Math.exp(ratios.reduce((x, y) => x + Math.log(y), 0) / ratios.length);
console.log(`geometric mean of ${ratios.length} rows: ${mean.toFixed(3)}`);
process.exit(wrong ? 1 : 0);
