// SPDX-License-Identifier: Apache-2.0
//
// speed.mjs - the table of speed.sh.
//
//     node speed.mjs LIBRARIES [--cpu-time] <FIGURES
//
// in     LIBRARIES: what libraries/compare.mjs printed; FIGURES: lines of JSON of
//        `kernels --json`, with "who": base, here, or a processor
// out    a line for each figure: processor, its bar and its aim, what it is
import fs from 'node:fs';
import { mean } from './dawn/common.mjs';

const [file, clock] = process.argv.slice(2);
const lines = fs.readFileSync(0, 'utf8').split('\n').filter((line) => line.startsWith('{')).map((line) => JSON.parse(line));
const libraries = fs.existsSync(file) ? fs.readFileSync(file, 'utf8').split('\n') : [];

/** The least of what a player had for a kernel, in all turns. */
const least = (who, name, key) => Math.min(...lines.filter((x) => x.who === who && x.name === name && !x.section).map((x) => x[key] ?? Infinity));
const compiled = (who, name) => Math.min(...lines.filter((x) => x.who === who && x.section === 'compile' && x.name === name).map((x) => x.anew_ms));
const names = [...new Set(lines.filter((x) => x.who === 'base' && !x.section).map((x) => x.name))];
const beside = (who) => names.map((name) => [name, least(who, name, 'weft_best_ms') / least('base', name, 'weft_best_ms')]);
const sgemm = Math.min(...lines.filter((x) => x.name === 'matmul_strip_1024').map((x) => x.rival_best_ms ?? Infinity));
const row = (library, name) => libraries.map((line) => line.match(/^(\w+)\s+(.+?)\s+([\d.]+)\s+([\d.]+)\s+([\d.]+)\s+\d+$/))
  .find((m) => m && m[1] === library && m[2] === name);
// OpenBLAS is measured on one thread with --cpu-time, and libraries count the time of all.
const product = (library) => Number(row(library, 'matmul')?.[4] ?? NaN) / sgemm;
const libraryRatios = libraries.map((line) => line.match(/\s([\d.]+)\s+\d+$/)).filter(Boolean).map((m) => Number(m[1]));

const figures = [['here', 'libraries / base, geometric mean', 0.5, 0.3, mean(libraryRatios)],
  ['here', 'matmul of TensorFlow.js / OpenBLAS', 1.6, 1.1, product('tfjs')],
  ['here', 'matmul of ONNX Runtime / OpenBLAS', 1.6, 1.1, product('ort')]];
const whos = [...new Set(['here', ...lines.map((x) => x.who)])].filter((who) => who !== 'base');
for (const who of whos) {
  const only = lines.find((x) => x.who === who && x.compiles);
  if (only) {
    figures.push([who, `kernels compiled (this machine cannot run them): ${only.compiles}`, NaN, NaN, NaN]);
    continue;
  }
  for (const [name, bar] of [['scan', 1.4], ['spmv', 1.4], ['reduce', 1.3], ['histogram', 1.2]])
    figures.push([who, `${name} / C`, bar, 1, least(who, name, 'weft_best_ms') / least(who, name, 'c_best_ms')]);
  for (const [name, bar, aim] of [['q4_matvec', 0.95, 0.8], ['q4_prefill', 0.7, 0.5]])
    figures.push([who, `${name} / ggml`, bar, aim, least(who, name, 'weft_best_ms') / least(who, name, 'rival_best_ms')]);
  figures.push([who, 'matmul_strip_1024 / OpenBLAS', NaN, NaN, least(who, 'matmul_strip_1024', 'weft_best_ms') / least(who, 'matmul_strip_1024', 'rival_best_ms')]);
}
const against = beside('here'), worst = against.reduce((x, y) => (y[1] > x[1] ? y : x), ['none', -Infinity]);
figures.push(['here', `slowest kernel / base: ${worst[0]}`, 1.03, NaN, worst[1]],
  ['here', `${names.length} kernels / base, geometric mean`, 0.97, NaN, mean(against.map((x) => x[1]))],
  ['here', 'compile time / base', 1.1, NaN, mean(names.filter((n) => Number.isFinite(compiled('base', n))).map((n) => compiled('here', n) / compiled('base', n)))]);

const text = (x) => (Number.isFinite(x) ? x.toFixed(2) : '-');
console.log(`${'processor'.padEnd(12)}${'figure (time ratio, lower is better)'.padEnd(52)}${'bar'.padStart(6)}${'aim'.padStart(6)}${'is'.padStart(7)}`);
for (const [who, name, bar, aim, is] of figures)
  console.log(`${who.padEnd(12)}${name.padEnd(52)}${text(bar).padStart(6)}${text(aim).padStart(6)}${text(is).padStart(7)}${is > bar ? '  missed' : ''}`);
console.log(clock ? 'Times are of processors, kernels on one thread.' : 'Times are those that passed.');
