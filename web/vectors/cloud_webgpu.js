// SPDX-License-Identifier: Apache-2.0
// cloud_webgpu.js - the cloud with WebGPU, from vertex buffers.

import { STRIDE } from './points.js';
import { CLOUD } from './cloud.wgsl.js';
import { VertexBufferManager } from './vertex.js';

const DEPTH = 'depth24plus';
const FEW = 1000;                       // points: so many squares are quick on software devices, too

function pipeline(device, module, format, squares) {
    return device.createRenderPipelineAsync({
        layout: 'auto',
        vertex: { module, entryPoint: squares ? 'square' : 'pixel', buffers: [{
            arrayStride: STRIDE * 4, stepMode: squares ? 'instance' : 'vertex',
            attributes: [{ shaderLocation: 0, offset: 0, format: 'float32x3' }, { shaderLocation: 1, offset: 12, format: 'float32x3' }] }] },
        fragment: { module, entryPoint: 'paint', targets: [{ format }] },
        primitive: { topology: squares ? 'triangle-strip' : 'point-list' },
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
        if (!made.context) throw new Error('no WebGPU canvas');
        made.context.configure({ device, format, alphaMode: 'opaque' });
        made.software = processor.isFallback;
        const module = device.createShaderModule({ code: CLOUD });
        made.squares = await pipeline(device, module, format, true);
        made.pixels = made.software ? await pipeline(device, module, format, false) : null;
        made.buffers = new VertexBufferManager(device);
        made.view = device.createBuffer({ size: 80, usage: GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST });
        made.groups = new Map([made.squares, made.pixels].filter(Boolean).map((each) => [each,
            device.createBindGroup({ layout: each.getBindGroupLayout(0), entries: [{ binding: 0, resource: { buffer: made.view } }] })]));
        return made;
    }

    upload(points) {
        if (this.version === points.version) return;
        const full = this.buffers.vertexBuffers.get('cloud')?.size === points.data.byteLength;
        this.buffers.createVertexBuffer('cloud', full ? points.data.subarray(0, points.count * STRIDE) : points.data);
        this.version = points.version;
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
        this.device.queue.writeBuffer(this.view, 0, new Float32Array([...matrix, size / width, size / height, 0, 0]));
        const encoder = this.device.createCommandEncoder();
        const pass = encoder.beginRenderPass({
            colorAttachments: [{ view: this.context.getCurrentTexture().createView(), clearValue: { r, g, b, a: 1 }, loadOp: 'clear', storeOp: 'store' }],
            depthStencilAttachment: { view: this.depthView(), depthClearValue: 1, depthLoadOp: 'clear', depthStoreOp: 'discard' },
        });
        const chosen = this.software && points.count > FEW ? this.pixels : this.squares;
        pass.setPipeline(chosen);
        pass.setBindGroup(0, this.groups.get(chosen));
        pass.setVertexBuffer(0, this.buffers.vertexBuffers.get('cloud'));
        if (chosen === this.squares) pass.draw(4, points.count);
        else pass.draw(points.count);
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
