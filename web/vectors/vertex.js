// SPDX-License-Identifier: Apache-2.0
// vertex.js - VertexBufferManager: named vertex buffers that are written again instead of made
// again.

export class VertexBufferManager {
    /** @param usage of the buffers beside that of vertices */
    constructor(device, usage = 0) {
        this.device = device;
        this.usage = usage;
        this.vertexBuffers = new Map();
        this.indexBuffers = new Map();
    }

    /** A buffer under a name with these vertices; an older one that is large enough is reused. */
    createVertexBuffer(name, vertices) {
        let buffer = this.vertexBuffers.get(name);
        if (!buffer || buffer.size < vertices.byteLength) {
            buffer?.destroy();
            buffer = this.device.createBuffer({
                label: name, size: Math.max(4, vertices.byteLength), usage: GPUBufferUsage.VERTEX | GPUBufferUsage.COPY_DST | this.usage });
            this.vertexBuffers.set(name, buffer);
        }
        this.device.queue.writeBuffer(buffer, 0, vertices);
        return buffer;
    }

    /** Writes to a buffer that exists. Vertices that do not fit make it larger. */
    updateVertexBuffer(name, newVertices) {
        if (this.vertexBuffers.has(name)) this.createVertexBuffer(name, newVertices);
    }

    /** Six floats a point: three components as position, then the colour m, 0.7 m, 0.3 m of its magnitude m. */
    createVectorPointCloud(vectors) {
        const count = Math.ceil(vectors.length / 3), vertices = new Float32Array(count * 6);
        for (let i = 0; i < count; i++) {
            const x = vectors[3 * i] || 0, y = vectors[3 * i + 1] || 0, z = vectors[3 * i + 2] || 0, m = Math.hypot(x, y, z);
            vertices.set([x, y, z, m, 0.7 * m, 0.3 * m], 6 * i);
        }
        return this.createVertexBuffer('point_cloud', vertices);
    }

    /** Bytes of all buffers. */
    get bytes() {
        return [...this.vertexBuffers.values(), ...this.indexBuffers.values()].reduce((sum, { size }) => sum + size, 0);
    }

    destroy() {
        for (const buffer of [...this.vertexBuffers.values(), ...this.indexBuffers.values()]) buffer.destroy();
        this.vertexBuffers.clear();
        this.indexBuffers.clear();
    }
}
