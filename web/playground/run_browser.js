// SPDX-License-Identifier: Apache-2.0
// run_browser.js - runs a prepared kernel with the WebGPU of this browser.

import { requestAdapter } from '../lib/webgpu.js';

const REPEAT_MS = 200;                  // of repeated runs, after the first

let opened = null;

/** A device with all limits and the features that kernels can ask for. Opened once. */
async function open() {
    const adapter = await requestAdapter();
    const features = ['shader-f16', 'subgroups'].filter((name) => adapter.features.has(name));
    const { maxBufferSize, maxStorageBufferBindingSize } = adapter.limits;
    const device = await adapter.requestDevice({
        requiredFeatures: features, requiredLimits: { maxBufferSize, maxStorageBufferBindingSize },
    });
    device.lost.then(() => { opened = null; });
    return device;
}

export function device() {
    opened ??= open().catch((error) => { opened = null; throw error; });
    return opened;
}

/** Runs `work` and turns validation and memory errors of the device into exceptions. */
async function guarded(gpu, work) {
    gpu.pushErrorScope('out-of-memory');
    gpu.pushErrorScope('validation');
    let result, thrown = null;
    try { result = await work(); } catch (error) { thrown = error; }
    const wrong = [await gpu.popErrorScope(), await gpu.popErrorScope()].find(Boolean);
    if (wrong) throw new Error(wrong.message);
    if (thrown) throw thrown;
    return result;
}

async function pipelineOf(gpu, job) {
    const module = gpu.createShaderModule({ code: job.wgsl });
    const { messages } = await module.getCompilationInfo();
    const wrong = messages.find(({ type }) => type === 'error');
    if (wrong) throw new Error(`line ${wrong.lineNum}: ${wrong.message}`);
    return gpu.createComputePipelineAsync({
        layout: 'auto', compute: { module, entryPoint: job.entry, constants: job.constants },
    });
}

function upload(gpu, job) {
    return job.bindings.map((binding) => {
        const buffer = gpu.createBuffer({
            size: Math.ceil(binding.bytes.length / 16) * 16, label: binding.name,
            usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.COPY_SRC
                 | (binding.uniform ? GPUBufferUsage.UNIFORM : GPUBufferUsage.STORAGE),
        });
        gpu.queue.writeBuffer(buffer, 0, binding.bytes);
        return { ...binding, buffer };
    });
}

function groupsOf(gpu, pipeline, buffers) {
    const groups = new Map();
    for (const { group, binding, buffer, bytes, uniform } of buffers) {
        if (!groups.has(group)) groups.set(group, []);
        const size = uniform ? Math.ceil(bytes.length / 16) * 16 : bytes.length;
        groups.get(group).push({ binding, resource: { buffer, size } });
    }
    return [...groups].map(([index, entries]) =>
        [index, gpu.createBindGroup({ layout: pipeline.getBindGroupLayout(index), entries })]);
}

async function dispatch(gpu, pipeline, groups, workgroups) {
    const encoder = gpu.createCommandEncoder(), pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
    for (const [index, group] of groups) pass.setBindGroup(index, group);
    pass.dispatchWorkgroups(...workgroups);
    pass.end();
    const began = performance.now();
    gpu.queue.submit([encoder.finish()]);
    await gpu.queue.onSubmittedWorkDone();
    return (performance.now() - began) / 1e3;
}

async function readBack(gpu, { buffer, bytes }) {
    const target = gpu.createBuffer({ size: bytes.length, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
    const encoder = gpu.createCommandEncoder();
    encoder.copyBufferToBuffer(buffer, 0, target, 0, bytes.length);
    gpu.queue.submit([encoder.finish()]);
    await target.mapAsync(GPUMapMode.READ);
    const copy = new Uint8Array(target.getMappedRange().slice(0));
    target.destroy();
    return copy;
}

/** The shortest of some runs; results were read before, so running again changes nothing. */
async function fastest(gpu, pipeline, groups, workgroups, first) {
    let best = first;
    for (const end = performance.now() + REPEAT_MS; performance.now() < end;)
        best = Math.min(best, await dispatch(gpu, pipeline, groups, workgroups));
    return best;
}

/** One invocation for each element of the largest output, as the server's "auto". */
export function workgroupsFor(job) {
    const elements = Math.max(1, ...job.bindings.filter((b) => b.writes).map((b) => b.elements));
    const [x, y, z] = job.workgroupSize;
    return [Math.ceil(elements / (x * y * z)), 1, 1];
}

/** The same result as runOnServer(). */
export async function runInBrowser(job) {
    const began = performance.now(), gpu = await device();
    return guarded(gpu, async () => {
        const compiling = performance.now();
        const pipeline = await pipelineOf(gpu, job);
        const compile = (performance.now() - compiling) / 1e3;
        const buffers = upload(gpu, job), groups = groupsOf(gpu, pipeline, buffers);
        const workgroups = job.workgroups ?? workgroupsFor(job);
        const first = await dispatch(gpu, pipeline, groups, workgroups);
        const outputs = new Map();
        for (const one of buffers.filter((b) => b.writes)) outputs.set(one.name, await readBack(gpu, one));
        const total = (performance.now() - began) / 1e3;
        const run = await fastest(gpu, pipeline, groups, workgroups, first);
        for (const { buffer } of buffers) buffer.destroy();
        return { outputs, workgroups, seconds: { compile, run, total } };
    });
}
