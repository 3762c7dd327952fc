// SPDX-License-Identifier: Apache-2.0
// processor.js - WebGPUVectorProcessor: compute passes on vectors as they arrive.
//
// Its buffers are pooled by purpose: they grow to the largest batch and are written again, so
// that a stream of batches needs no new memory.

import { project } from './kernels.js';
import { Placement } from './placement.js';
import { Products } from './products.js';

const MAX_ROWS = 1024;                  // of one dispatch
const LOSS = 200;                       // ms within which a device says that it is lost
const TRIAL_LEAST = 1e6, TRIAL_MOST = 4e6;          // products with which a software device is timed

export class WebGPUVectorProcessor {
    constructor() {
        this.device = null;
        this.context = null;
        this.pipeline = null;
        this.buffers = new Map();       // by purpose
        this.placement = null;
        this.format = 'bgra8unorm';     // of canvases; another where this browser prefers it
        this.isFallback = false;        // the adapter is software
        this.slower = undefined;        // than the page's own loop: only a software device is tried
        this.times = null;              // ms of the last pass: { compute, readBack }
        this.onlost = null;             // called with a sentence when the device is lost
        this.onchosen = null;           // called after a software device was timed: { device, page } in ms
        this.last = Promise.resolve();  // of the calls that share the buffers
        this.products = new Products();
    }

    /**
     * Opens a device and, if there is a canvas, configures it.
     * Throws "WebGPU not supported" where there is no device.
     */
    async initialize({ canvas = document.getElementById('gpu-canvas') } = {}) {
        if (!globalThis.navigator?.gpu) throw new Error(`WebGPU not supported${globalThis.isSecureContext === false ? ': it needs https or localhost' : ''}`);
        const adapter = await navigator.gpu.requestAdapter();
        if (!adapter) throw new Error('WebGPU not supported: no adapter');
        this.device = await adapter.requestDevice();
        this.isFallback = Boolean(adapter.info?.isFallbackAdapter ?? adapter.isFallbackAdapter);
        const { description, device: model, vendor, architecture } = adapter.info ?? {};
        this.adapterName = description || model || [vendor, architecture].filter(Boolean).join(' ') || 'unnamed adapter';
        this.limits = adapter.limits;
        this.format = navigator.gpu.getPreferredCanvasFormat?.() ?? this.format;
        this.slower = this.isFallback ? undefined : false;
        this.watchLoss(this.device);
        this.context = canvas?.getContext('webgpu') ?? null;
        this.context?.configure({ device: this.device, format: this.format });
        await this.createComputePipeline();
    }

    watchLoss(device) {
        device.lost.then(({ message, reason }) => {
            if (this.device !== device) return;
            this.forget();
            if (reason !== 'destroyed') this.onlost?.(message || 'the device was lost');
        });
    }

    forget() {
        this.device = this.pipeline = this.context = this.uploaded = null;
        this.buffers.clear();
    }

    async createComputePipeline() {
        const module = this.device.createShaderModule({ code: project, label: 'project' });
        this.pipeline = await this.device.createComputePipelineAsync({
            layout: 'auto', compute: { module, entryPoint: 'main' } });
    }

    /** Bytes of all pooled buffers. */
    get bytes() {
        return [...this.buffers.values()].reduce((sum, { size }) => sum + size, 0);
    }

    /** The buffer of a purpose, with room for `size` bytes; it grows by powers of two. */
    buffer(name, size, usage) {
        let found = this.buffers.get(name);
        if (!found || found.size < size) {
            found?.destroy();
            found = this.device.createBuffer({ label: name, usage, size: Math.max(256, 2 ** Math.ceil(Math.log2(size))) });
            this.buffers.set(name, found);
        }
        return found;
    }

    /** The placement for what comes, which has this dimension from now on. */
    placementFor(dimension) {
        if (this.placement?.dimension !== dimension) this.placement = new Placement(dimension);
        return this.placement;
    }

    /** The placement for some rows: those of another dimension do not change where the others belong. */
    placementOf(dimension) {
        return this.placement && this.placement.dimension !== dimension ? new Placement(dimension) : this.placementFor(dimension);
    }

    /** Axes and units change less often than rows come. */
    upload(buffer, { matrix, version }) {
        const last = this.uploaded;
        if (last?.buffer === buffer && last.matrix === matrix && last.version === version) return;
        this.device.queue.writeBuffer(buffer, 0, matrix);
        this.uploaded = { buffer, matrix, version };
    }

    /** Records and submits one dispatch. `read`: a buffer that gets a copy of the results. */
    dispatch(rows, placement, results, read) {
        const { device } = this, { GPUBufferUsage: use } = globalThis, { inner, columns, matrix } = placement;
        const count = rows.length / inner;
        const input = this.buffer('rows', rows.byteLength, use.STORAGE | use.COPY_DST);
        const axes = this.buffer('matrix', matrix.byteLength, use.STORAGE | use.COPY_DST);
        const params = this.buffer('params', 16, use.UNIFORM | use.COPY_DST);
        device.queue.writeBuffer(input, 0, rows);
        this.upload(axes, placement);
        device.queue.writeBuffer(params, 0, new Uint32Array([count, inner, columns, 0]));
        const group = device.createBindGroup({ layout: this.pipeline.getBindGroupLayout(0), entries:
            [input, axes, results, params].map((buffer, binding) => ({ binding, resource: { buffer } })) });
        const encoder = device.createCommandEncoder(), pass = encoder.beginComputePass();
        pass.setPipeline(this.pipeline);
        pass.setBindGroup(0, group);
        pass.dispatchWorkgroups(Math.ceil(count / 64), columns);
        pass.end();
        if (read) encoder.copyBufferToBuffer(results, 0, read, 0, count * columns * 4);
        device.queue.submit([encoder.finish()]);
    }

    /**
     * Computes, for each row of `vectorData`, its coordinates and its distances to the units of
     * the map.
     * @returns the buffer with the results, valid until the next call, and at least as long as the data
     */
    async processVectorStream(vectorData, dimension = vectorData.length) {
        if (!this.device) throw new Error('WebGPU: not initialised');
        const placement = this.placementOf(dimension), rows = placement.extend(vectorData);
        const use = globalThis.GPUBufferUsage, size = Math.max(rows.length / placement.inner * placement.columns * 4, vectorData.byteLength);
        const results = this.buffer('results', size, use.STORAGE | use.COPY_SRC);
        this.dispatch(rows, placement, results, null);
        return results;
    }

    /**
     * The same with read-back, on the CPU without a device.
     * @returns {{ results: Float32Array, placement }} results[rows][placement.columns]
     */
    place(vectorData, dimension) {
        const run = async () => {
            const placement = this.placementOf(dimension).snapshot();
            return { placement, results: await this.placeOnDevice(vectorData, placement)
                ?? await this.products.multiply(placement.extend(vectorData), placement) };
        };
        const result = this.last.then(run, run);
        this.last = result.catch(() => {});
        return result;
    }

    /** Null without a device, if it is slower than the page itself, or if it is lost meanwhile. */
    async placeOnDevice(vectorData, placement) {
        const { device } = this;
        if (!device || this.slower) return null;
        try {
            if (this.slower === undefined) await this.compare(vectorData, placement);
            if (this.slower) return null;
            return await this.placeParts(vectorData, placement);
        } catch (error) {
            const late = new Promise((resolve) => { setTimeout(resolve, LOSS, null); });
            if (!await Promise.race([device.lost, late])) throw error;
            return null;
        }
    }

    /** Times a software device and the page with the same rows, once there is enough to do. */
    async compare(vectorData, placement) {
        const { dimension, matrix } = placement, most = Math.min(MAX_ROWS, Math.ceil(TRIAL_MOST / matrix.length));
        const first = vectorData.subarray(0, most * dimension);
        if (first.length / dimension * matrix.length < TRIAL_LEAST) return;
        const rows = placement.extend(first);
        await this.placePart(placement, rows);              // uploads, and compiles
        await this.products.multiply(rows, placement);
        const began = performance.now();
        await this.placePart(placement, rows);
        const middle = performance.now();
        await this.products.multiply(rows, placement);
        const times = { device: middle - began, page: performance.now() - middle };
        this.slower = times.device > times.page;
        this.onchosen?.(times);
    }

    async placeParts(vectorData, placement) {
        const { dimension } = placement, count = Math.floor(vectorData.length / dimension);
        const out = new Float32Array(count * placement.columns);
        for (let first = 0; first < count; first += MAX_ROWS) {
            const part = vectorData.subarray(first * dimension, Math.min(count, first + MAX_ROWS) * dimension);
            out.set(await this.placePart(placement, placement.extend(part)), first * placement.columns);
        }
        return out;
    }

    async placePart(placement, rows) {
        const use = globalThis.GPUBufferUsage, size = rows.length / placement.inner * placement.columns * 4;
        const results = this.buffer('results', size, use.STORAGE | use.COPY_SRC);
        const read = this.buffer('read', size, use.MAP_READ | use.COPY_DST);
        const began = performance.now();
        let computed = began;
        this.dispatch(rows, placement, results, read);
        this.device.queue.onSubmittedWorkDone().then(() => { computed = performance.now(); }, () => {});
        await read.mapAsync(globalThis.GPUMapMode.READ, 0, size);
        const copy = new Float32Array(read.getMappedRange(0, size).slice(0));
        read.unmap();
        this.times = { compute: computed - began, readBack: performance.now() - Math.max(computed, began) };
        return copy;
    }

    destroy() {
        this.products.destroy();
        for (const buffer of this.buffers.values()) buffer.destroy();
        const { device } = this;
        this.forget();
        device?.destroy();
    }
}
