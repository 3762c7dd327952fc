// SPDX-License-Identifier: Apache-2.0
//
// goals.mjs - figures of benchmarks beside what they are meant to be.
//
//     node goals.mjs <FIGURES
//
// in     lines of JSON as `kernels --json` and `dawn.sh --json` print them
// out    a table; status 1 if a figure is missing, or a goal is missed
import fs from 'node:fs';
import { mean, median } from './dawn/common.mjs';

const lines = fs.readFileSync(0, 'utf8').split('\n').filter((line) => line.startsWith('{')).map((line) => JSON.parse(line));
const section = (name) => lines.filter((x) => x.section === name);
const kernels = lines.filter((x) => !x.section);
const common = kernels.filter((x) => x.set === 'common');
const kernel = (name) => kernels.find((x) => x.name === name) ?? {};
const scaling = (name) => section('threads').find((x) => x.name === name) ?? {};
const threads = section('threads')[0]?.threads ?? 1;

const MOST = '<=', LEAST = '>=';
const times = (x) => x?.toFixed(2);
const percent = (x) => `${(100 * x).toFixed(0)} %`;
const factor = (x) => x.toFixed(0);
const unit = (name) => (x) => `${x.toFixed(2)} ${name}`;

// figure, goal, how it is written
const goals = [
  ...common.map((x) => [`${x.name}, time / C's`, MOST, x.name === 'softmax' ? 1.6 : 1.2, x.ratio, times]),
  ['geometric mean of these', MOST, 0.8, mean(common.map((x) => x.ratio)), times],
  ...['mandelbrot', 'matmul_tiled'].map((name) => [`${name}, speed / C's`, LEAST, 2, 1 / kernel(name).ratio, times]),
  ['saxpy, bandwidth of an AVX2 stream', LEAST, 0.9, 1 / kernel('saxpy').rival_ratio, percent],
  ...['matmul_strip_512', 'matmul_strip_1024'].map((name) => [`${name}, speed of sgemm`, LEAST, 0.6, 1 / kernel(name).rival_ratio, percent]),
  ['Dawn / Weft, geometric mean', LEAST, 80, mean(section('dawn').map((x) => x.dawn_ms / x.weft_ms)), factor],
  ['an empty launch', MOST, 15, section('launch')[0]?.median_us, unit('us')],
  ['compiling anew, median', MOST, 30, median(section('compile').map((x) => x.anew_ms)), unit('ms')],
  ['compiling from disk, median', MOST, 1, median(section('compile').map((x) => x.disk_ms)), unit('ms')],
  ...(threads > 1 ? ['matmul_naive', 'matmul_tiled', 'softmax', 'mandelbrot', 'nbody'] : [])
    .map((name) => [`${name}, ${threads} threads / one`, LEAST, 0.9 * threads, scaling(name).weft, times]),
];

let bad = 0;
console.log(`${''.padEnd(40)} ${'goal'.padStart(12)} ${'is'.padStart(12)}`);
for (const [name, sense, goal, is, text] of goals) {
  const known = Number.isFinite(is);
  const met = known && (sense === MOST ? is <= goal : is >= goal);
  bad += !met;
  console.log(`${name.padEnd(40)} ${`${sense} ${text(goal)}`.padStart(12)} ${(known ? text(is) : 'unknown').padStart(12)}  ${met ? '' : 'MISSED'}`);
}
process.exit(bad ? 1 : 0);
