// SPDX-License-Identifier: Apache-2.0
//
// compare.mjs - Vulkan written by hand, Weft and another WebGPU on one Vulkan driver,
// kernel by kernel, by turns.
//
//     node compare.mjs KERNELS VULKAN FOLDER OTHER [OPTION...] [NAME...]
//
// in     the programs `kernels` and `vulkan`, a folder for data, the other WebGPU:
//        NAME=PACKAGE, the folder of a node package; NAME=PROGRAM, a file that runs
//        JavaScript and has WebGPU built in; or `none`. The driver is chosen by the
//        environment. Options: --cpu-time, --small. Names of kernels; default: all of
//        the common set, and `empty`, `dispatches`, `upload`, `readback`.
// out    a table; status 1 if a result is wrong
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { forget, mean, median, run } from '../dawn/common.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
const launcher = path.join(here, '..', 'dawn', 'launch.mjs');
const args = process.argv.slice(2);
const options = args.filter((a) => a.startsWith('--'));
const [kernels, vulkan, folder, otherText, ...asked] = args.filter((a) => !a.startsWith('--'));
const [other, otherPath] = otherText === 'none' ? [null, null] : otherText.split('=', 2);
const cpuTime = options.includes('--cpu-time');
const small = options.includes('--small');
const ROUNDS = small ? 1 : 3;
const SECONDS = small ? 0 : 1;      // of a round, for each

// What is compared with Vulkan by hand alone.
const ALONE = ['dispatches', 'upload', 'readback'];

// ---- the players ----

function handAndWeft(name) {
  return JSON.parse(run(vulkan, '--json', `--seconds=${2 * SECONDS}`, '--turns=1', ...options, name));
}

function theirs(name) {
  const launch = fs.statSync(otherPath).isDirectory()
    ? [process.execPath, launcher, otherPath] : [otherPath, 'run', '-A', launcher, '-'];
  const t = JSON.parse(run(...launch, folder, name, `${SECONDS}`));
  if (cpuTime)      // an empty dispatch is the work of the thread that submits
    return name === 'empty' ? t.cpu_ms : t.driver_ms;
  return t.ms;
}

// ---- the kernels as files ----

const EMPTY = {
  name: 'empty', out: 0, arrays: [],
  steps: [{ kind: 'run', entry: 'main', groups: [1, 1], bound: [] }],
};

function writeKernel(name) {
  if (name !== 'empty') {
    run(kernels, `--export=${folder}`, ...(small ? ['--small'] : []), name);
    return;
  }
  fs.writeFileSync(path.join(folder, 'empty.json'), JSON.stringify(EMPTY));
  fs.writeFileSync(path.join(folder, 'empty.wgsl'), '@compute @workgroup_size(1) fn main() {}\n');
}

function judge(name) {
  if (name !== 'empty')
    run(kernels, `--judge=${folder}`, ...(small ? ['--small'] : []), name);
}

function removeKernel(name) {
  forget(folder, name);
}

// ---- the table ----

const percent = (x) => `${Math.round(100 * x)} %`;
const row = (cells) => cells.map((c, i) => i ? c.padStart(i < 4 ? 11 : 13) : c.padEnd(14)).join(' ');

// Of each player the median of the rounds; of Weft by hand that of the shares in them.
function measure(name) {
  const pairs = [], others = [], beside = other && !ALONE.includes(name);
  if (beside) writeKernel(name);
  for (let i = 0; i < ROUNDS; i++) {
    pairs.push(handAndWeft(name));
    if (beside) others.push(theirs(name));
  }
  if (beside) judge(name);
  const of = (key) => median(pairs.map((p) => p[key]));
  return {
    hand: of('hand_ms'), weft: of('weft_ms'), speed: of('speed'), spirv: of('spirv_ms'),
    ...(beside && { other: median(others), ahead: median(others.map((t, i) => t / pairs[i].weft_ms)) }),
  };
}

const names = [...run(kernels, '--list').trim().split('\n').map((line) => line.split(/\s+/))
  .filter(([, set]) => set === 'common').map(([name]) => name), 'empty', ...ALONE]
  .filter((name) => !asked.length || asked.includes(name));
const shares = [];
let wrong = 0;

console.log(`ms ${cpuTime ? 'of processor time ' : ''}a launch, from submit to completion`);
console.log(row(['kernel', 'by hand', 'Weft', ...(other ? [other] : []), 'Weft/by hand',
  ...(other ? [`Weft/${other}`] : []), 'SPIR-V']));
for (const name of names) {
  try {
    const m = measure(name);
    if (name !== 'empty' && !ALONE.includes(name)) shares.push(m);
    console.log(row([name, m.hand.toFixed(3), m.weft.toFixed(3), ...(other ? [m.other?.toFixed(3) ?? ''] : []),
      percent(m.speed), ...(other ? [m.ahead ? percent(m.ahead) : ''] : []), m.spirv.toFixed(2)]));
  } catch (error) {
    wrong++;
    console.log(`${name.padEnd(14)} ${error.message}`);
  }
  removeKernel(name);
}
if (shares.length)
  console.log(row(['geometric mean', '', '', ...(other ? [''] : []), percent(mean(shares.map((m) => m.speed))),
    ...(other ? [percent(mean(shares.map((m) => m.ahead)))] : [])]));
process.exit(wrong ? 1 : 0);
