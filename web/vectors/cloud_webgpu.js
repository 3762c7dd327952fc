// SPDX-License-Identifier: Apache-2.0
// cloud_webgpu.js - the cloud with WebGPU, from vertex buffers.

import { STRIDE } from './points.js';
import { CLOUD } from './cloud.wgsl.js';
import { VertexBufferManager } from './vertex.js';

const DEPTH = 'depth24plus';
const ROUND = 4;                        // pixels from which a point is a disc

const ATTRIBUTES = [{ shaderLocation: 0, offset: 0, format: 'float32x3' }, { shaderLocation: 1, offset: 12, format: 'float32x3' }];

function pipeline(device, module, format, pulled) {
    return device.createRenderPipelineAsync({
        layout: 'auto',
        vertex: pulled ? { module, entryPoint: 'pulled' }
            : { module, entryPoint: 'square', buffers: [{ arrayStride: STRIDE * 4, stepMode: 'instance', attributes: ATTRIBUTES }] },
        fragment: { module, entryPoint: 'paint', targets: [{ format }] },
        primitive: { topology: pulled ? 'triangle-list' : 'triangle-strip' },
        depthStencil: { format: DEPTH, depthWriteEnabled: true, depthCompare: 'less' },
    });
}

export class WebGPUCloud {
    /** @param processor an initialised WebGPUVectorProcessor: its device is shared */
    static async create(canvas, processor) {
        const { device, format } = processor, made = new WebGPUCloud();
        made.name = 'WebGPU';
        made.canvas = canvas;
        made.device = device;
        made.context = canvas.getContext('webgpu');
        if (!made.context) throw new Error('this browser draws no WebGPU on a canvas');
        made.context.configure({ device, format, alphaMode: 'opaque' });
        made.pulled = processor.isFallback;
        made.pipeline = await pipeline(device, device.createShaderModule({ code: CLOUD }), format, made.pulled);
        made.buffers = new VertexBufferManager(device, made.pulled ? GPUBufferUsage.STORAGE : 0);
        made.view = device.createBuffer({ size: 80, usage: GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST });
        return made;
    }

    /** Copies the points to the GPU if they changed. */
    upload(points) {
        if (this.version === points.version) return;
        const last = this.buffers.vertexBuffers.get('cloud'), full = last?.size === points.data.byteLength;
        const buffer = this.buffers.createVertexBuffer('cloud', full ? points.data.subarray(0, points.count * STRIDE) : points.data);
        if (buffer !== last) this.bind(buffer);
        this.version = points.version;
    }

    bind(points) {
        const entries = [this.view, ...(this.pulled ? [points] : [])].map((buffer, binding) => ({ binding, resource: { buffer } }));
        this.group = this.device.createBindGroup({ layout: this.pipeline.getBindGroupLayout(0), entries });
    }

    depthView() {
        const { width, height } = this.canvas;
        if (this.depth?.width !== width || this.depth.height !== height) {
            this.depth?.destroy();
            this.depth = this.device.createTexture({ size: [width, height], format: DEPTH, usage: GPUTextureUsage.RENDER_ATTACHMENT });
        }
        return this.depth.createView();
    }

    draw(points, matrix, size, [r, g, b]) {
        this.upload(points);
        const { width, height } = this.canvas;
        this.device.queue.writeBuffer(this.view, 0, new Float32Array([...matrix, size / width, size / height, size >= ROUND ? 1 : 0, 0]));
        const encoder = this.device.createCommandEncoder();
        const pass = encoder.beginRenderPass({
            colorAttachments: [{ view: this.context.getCurrentTexture().createView(), clearValue: { r, g, b, a: 1 }, loadOp: 'clear', storeOp: 'store' }],
            depthStencilAttachment: { view: this.depthView(), depthClearValue: 1, depthLoadOp: 'clear', depthStoreOp: 'discard' },
        });
        pass.setPipeline(this.pipeline);
        pass.setBindGroup(0, this.group);
        if (this.pulled && points.count) {
            pass.draw(6 * points.count);
        } else if (points.count) {
            pass.setVertexBuffer(0, this.buffers.vertexBuffers.get('cloud'));
            pass.draw(4, points.count);
        }
        pass.end();
        this.device.queue.submit([encoder.finish()]);
    }

    finish() { return this.device.queue.onSubmittedWorkDone(); }

    destroy() {
        this.buffers.destroy();
        this.depth?.destroy();
        this.view.destroy();
        this.context.unconfigure();
    }
}
