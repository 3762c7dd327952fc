// SPDX-License-Identifier: Apache-2.0
// device.js - the WebGPU device of this browser, and kernels on it.

import { requestAdapter } from './lib/webgpu.js';

/** { adapter, device, info }. Throws a sentence if there is none. */
export async function open() {
    const adapter = await requestAdapter({ powerPreference: 'high-performance' });
    const device = await adapter.requestDevice();
    const { vendor, architecture, device: model, description } = adapter.info ?? {};
    return { adapter, device, info: {
        vendor, architecture, device: model, description,
        fallback: Boolean(adapter.info?.isFallbackAdapter ?? adapter.isFallbackAdapter),
        features: [...adapter.features].sort(),
        limits: Object.fromEntries(['maxBufferSize', 'maxStorageBufferBindingSize', 'maxComputeWorkgroupStorageSize',
            'maxComputeInvocationsPerWorkgroup', 'maxComputeWorkgroupsPerDimension'].map((name) => [name, adapter.limits[name]])),
    } };
}

function buffer(device, data, usage) {
    const made = device.createBuffer({ size: Math.ceil(data.byteLength / 16) * 16, usage: usage | GPUBufferUsage.COPY_DST });
    device.queue.writeBuffer(made, 0, data);
    return made;
}

/** A kernel with its data on the device: run it as often as needed, then read and destroy. */
export class Dispatch {
    /**
     * @param {{ wgsl, inputs: Float32Array[], outputSize: number, sizes: ArrayBuffer | null, groups: number[],
     *           constants: object }} desc. Bindings: inputs, output, sizes.
     */
    static async create(device, desc) {
        const made = new Dispatch();
        device.pushErrorScope('validation');
        const module = device.createShaderModule({ code: desc.wgsl });
        made.pipeline = await device.createComputePipelineAsync({
            layout: 'auto', compute: { module, entryPoint: 'main', constants: desc.constants } });
        made.device = device;
        made.groups = desc.groups;
        made.bytes = desc.outputSize * 4;
        made.inputs = desc.inputs.map((data) => buffer(device, data, GPUBufferUsage.STORAGE));
        made.output = device.createBuffer({ size: made.bytes, usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC });
        made.sizes = desc.sizes ? buffer(device, desc.sizes, GPUBufferUsage.UNIFORM) : null;
        const all = [...made.inputs, made.output, ...(made.sizes ? [made.sizes] : [])];
        const exact = [...desc.inputs.map((data) => data.byteLength), made.bytes, undefined];
        made.group = device.createBindGroup({ layout: made.pipeline.getBindGroupLayout(0), entries: all.map(
            (each, binding) => ({ binding, resource: { buffer: each, size: exact[binding] } })) });
        const wrong = await device.popErrorScope();
        if (wrong) throw new Error(wrong.message);
        return made;
    }

    /** Submits `times` dispatches and waits. Returns seconds each. */
    async run(times = 1) {
        const encoder = this.device.createCommandEncoder(), pass = encoder.beginComputePass();
        pass.setPipeline(this.pipeline);
        pass.setBindGroup(0, this.group);
        for (let i = 0; i < times; i++) pass.dispatchWorkgroups(...this.groups);
        pass.end();
        const commands = encoder.finish(), began = performance.now();
        this.device.queue.submit([commands]);
        await this.device.queue.onSubmittedWorkDone();
        return (performance.now() - began) / 1e3 / times;
    }

    async read() {
        const target = this.device.createBuffer({ size: this.bytes, usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST });
        const encoder = this.device.createCommandEncoder();
        encoder.copyBufferToBuffer(this.output, 0, target, 0, this.bytes);
        this.device.queue.submit([encoder.finish()]);
        await target.mapAsync(GPUMapMode.READ);
        const copy = new Float32Array(target.getMappedRange().slice(0));
        target.destroy();
        return copy;
    }

    destroy() {
        for (const each of [...this.inputs, this.output, this.sizes]) each?.destroy();
    }
}
