// SPDX-License-Identifier: Apache-2.0
//
// compare.mjs - Weft beside Dawn, kernel by kernel, by turns.
//
//     node compare.mjs KERNELS PACKAGE FOLDER [--cpu-time] [--json] [NAME...]
//
// in     the program `kernels`, the folder of the node package `webgpu`, a folder for
//        data, names of kernels or sets (default: common)
// out    a table, or a line of JSON a kernel; status 1 if a result is wrong
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { forget, mean, median, run } from './common.mjs';

const args = process.argv.slice(2);
const cpuTime = args.includes('--cpu-time');
const json = args.includes('--json');
const [program, packageFolder, folder, ...asked] = args.filter((a) => a !== '--cpu-time' && a !== '--json');
const ROUNDS = 3;
const launcher = path.join(path.dirname(fileURLToPath(import.meta.url)), 'launch.mjs');

function dawn(name) {
  const t = JSON.parse(run(process.execPath, launcher, packageFolder, folder, name, '1'));
  return cpuTime ? t.cpu_ms : t.ms;
}
function weft(name) {
  const clock = cpuTime ? ['--cpu-time', '--threads=1'] : [];
  return JSON.parse(run(program, '--json', '--seconds=0.5', ...clock, name)).weft_ms;
}

const names = run(program, '--list').trim().split('\n').map((line) => line.split(/\s+/))
  .filter(([name, set]) => (asked.length ? asked : ['common']).some((a) => a === name || a === set))
  .map(([name]) => name);
const ratios = [];
let wrong = 0;

function printHead() {
  console.log(`Weft beside Dawn on SwiftShader; ms ${cpuTime ? 'of processor time ' : ''}a launch\n`);
  console.log(`${'kernel'.padEnd(18)} ${'Dawn'.padStart(11)} ${'Weft'.padStart(11)} ${'Dawn / Weft'.padStart(13)}`);
}
function printLine(name, theirs, ours) {
  if (json)
    console.log(JSON.stringify({ section: 'dawn', name, dawn_ms: theirs, weft_ms: ours }));
  else
    console.log(`${name.padEnd(18)} ${theirs.toFixed(3).padStart(11)} `
      + `${ours.toFixed(3).padStart(11)} ${(theirs / ours).toFixed(1).padStart(13)}`);
}

if (!json)
  printHead();
for (const name of names) {
  try {
    const theirs = [], ours = [];
    run(program, `--export=${folder}`, name);
    for (let i = 0; i < ROUNDS; i++) {
      theirs.push(dawn(name));
      ours.push(weft(name));
    }
    run(program, `--judge=${folder}`, name);
    ratios.push(median(theirs) / median(ours));
    printLine(name, median(theirs), median(ours));
  } catch (error) {
    wrong++;
    console.error(`${name.padEnd(18)} ${error.message}`);
  }
  forget(folder, name);
}
if (ratios.length && !json)
  console.log(`\n${'geometric mean'.padEnd(42)} ${mean(ratios).toFixed(1).padStart(13)}`);
process.exit(wrong ? 1 : 0);
