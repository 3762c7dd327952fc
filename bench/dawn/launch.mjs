// SPDX-License-Identifier: Apache-2.0
//
// launch.mjs - times one exported kernel on the WebGPU of a node package, or of the
// program that runs this.
//
//     node launch.mjs PACKAGE FOLDER NAME [SECONDS]
//     deno run -A launch.mjs - FOLDER NAME [SECONDS]
//
// in     NAME.json, NAME.wgsl, NAME.N.bin in FOLDER (written by `kernels --export`)
// out    NAME.out there; on stdout {"ms", "best_ms", "cpu_ms", "driver_ms",
//        "compile_ms"}, of one launch from submit to completion. cpu_ms: processor time
//        of the process; driver_ms: without that of this thread, which some
//        implementations let ask again and again whether the work is done
import fs from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';

const [packageFolder, folder, name, seconds = '1.5'] = process.argv.slice(2);

async function packageGpu(folder) {
  const { create, globals } = await import(pathToFileURL(path.resolve(folder, 'index.js')).href);
  Object.assign(globalThis, globals);
  return create([]);
}

const file = (end) => path.join(folder, `${name}.${end}`);
const kernel = JSON.parse(fs.readFileSync(file('json')));
const code = fs.readFileSync(file('wgsl'), 'utf8');

// It must outlive what it makes.
const gpu = globalThis.gpu = packageFolder === '-' ? navigator.gpu : await packageGpu(packageFolder);
const adapter = await gpu.requestAdapter();
if (!adapter) throw new Error('no adapter');
const device = await adapter.requestDevice();
device.addEventListener?.('uncapturederror', (e) => { throw new Error(e.error.message); });

const usage = GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST;
const buffers = kernel.arrays.map(({ size, uniform }, i) => {
  const buffer = device.createBuffer({
    size, usage: usage | (uniform ? GPUBufferUsage.UNIFORM : GPUBufferUsage.STORAGE),
  });
  if (fs.existsSync(file(`${i}.bin`)))
    device.queue.writeBuffer(buffer, 0, fs.readFileSync(file(`${i}.bin`)));
  return buffer;
});

const begin = performance.now();
const module = device.createShaderModule({ code });
const pipelines = {};
for (const { kind, entry } of kernel.steps) {
  if (kind === 'run' && !pipelines[entry]) {
    pipelines[entry] = await device.createComputePipelineAsync({
      layout: 'auto', compute: { module, entryPoint: entry },
    });
  }
}
const compile_ms = performance.now() - begin;

const groups = kernel.steps.map((s) => s.kind !== 'run' || !s.bound.length ? null : device.createBindGroup({
  layout: pipelines[s.entry].getBindGroupLayout(0),
  entries: s.bound.map((i) => ({
    binding: i,
    resource: kernel.arrays[i].uniform
      ? { buffer: buffers[i], offset: s.offset, size: s.size } : { buffer: buffers[i] },
  })),
}));

function launch() {
  const e = device.createCommandEncoder();
  for (let i = 0; i < kernel.steps.length;) {
    const s = kernel.steps[i];
    if (s.kind === 'copy') {
      e.copyBufferToBuffer(buffers[s.from], 0, buffers[s.to], 0, kernel.arrays[s.to].size);
      i++;
    } else if (s.kind === 'clear') {
      e.clearBuffer(buffers[s.to]);
      i++;
    } else {
      const pass = e.beginComputePass();
      for (; kernel.steps[i]?.kind === 'run'; i++) {
        pass.setPipeline(pipelines[kernel.steps[i].entry]);
        if (groups[i]) pass.setBindGroup(0, groups[i]);
        pass.dispatchWorkgroups(...kernel.steps[i].groups);
      }
      pass.end();
    }
  }
  device.queue.submit([e.finish()]);
  return device.queue.onSubmittedWorkDone();
}

// Milliseconds that this thread had a processor; 0 if unknown.
function ownTime() {
  try {
    return Number(fs.readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[0]) / 1e6;
  } catch {
    return 0;
  }
}

await launch();
const times = [], cpu = [], driver = [], from = performance.now();
while (!times.length || (times.length < 60 && performance.now() - from < 1000 * seconds)) {
  const own = ownTime(), used = process.cpuUsage(), t = performance.now();
  await launch();
  times.push(performance.now() - t);
  const { user, system } = process.cpuUsage(used);
  cpu.push((user + system) / 1000);
  driver.push(Math.max(0, (user + system) / 1000 - (ownTime() - own)));
}
const median = (a) => a.sort((p, q) => p - q)[a.length >> 1];

async function keepResult() {
  const { size } = kernel.arrays[kernel.out];
  const back = device.createBuffer({ size, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
  const e = device.createCommandEncoder();
  e.copyBufferToBuffer(buffers[kernel.out], 0, back, 0, size);
  device.queue.submit([e.finish()]);
  await back.mapAsync(GPUMapMode.READ);
  fs.writeFileSync(file('out'), new Uint8Array(back.getMappedRange()));
}
if (kernel.arrays.length)
  await keepResult();
console.log(JSON.stringify({
  ms: median(times), best_ms: Math.min(...times), cpu_ms: median(cpu), driver_ms: median(driver), compile_ms,
}));
process.exit(0);
