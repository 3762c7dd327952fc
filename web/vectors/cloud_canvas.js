// SPDX-License-Identifier: Apache-2.0
// cloud_canvas.js - the cloud without any GPU: points into the pixels of a 2D canvas, with a
// depth for each pixel.

import { STRIDE } from './points.js';

export class CanvasCloud {
    static async create(canvas) {
        const context = canvas.getContext('2d', { alpha: false });
        if (!context) throw new Error('no 2D canvas');
        return new CanvasCloud(canvas, context);
    }

    constructor(canvas, context) {
        this.name = '2D canvas';
        this.canvas = canvas;
        this.context = context;
    }

    /** Fits pixels and depths to the size of the canvas. */
    fit() {
        const { width, height } = this.canvas;
        if (this.image?.width === width && this.image.height === height) return;
        this.image = this.context.createImageData(width, height);
        this.pixels = new Uint32Array(this.image.data.buffer);
        this.depth = new Float32Array(width * height);
    }

    upload() { /* it draws from the points themselves */ }

    draw(points, matrix, size, [red, green, blue]) {
        this.fit();
        const { width, height } = this.canvas, { pixels, depth } = this, { data, count } = points;
        pixels.fill(0xff000000 | Math.round(blue * 255) << 16 | Math.round(green * 255) << 8 | Math.round(red * 255));
        depth.fill(Infinity);
        const m = matrix, side = Math.max(1, Math.round(size)), half = side >> 1;
        for (let at = 0; at < count * STRIDE; at += STRIDE) {
            const x = data[at], y = data[at + 1], z = data[at + 2];
            const w = m[3] * x + m[7] * y + m[11] * z + m[15];
            if (w <= 0.01) continue;
            const px = ((m[0] * x + m[4] * y + m[8] * z + m[12]) / w * 0.5 + 0.5) * width | 0;
            const py = (0.5 - (m[1] * x + m[5] * y + m[9] * z + m[13]) / w * 0.5) * height | 0;
            if (px < half || py < half || px + side - half > width || py + side - half > height) continue;
            const shade = Math.max(0.45, Math.min(1, 1.35 - w * 0.12)) * 255;
            const colour = 0xff000000 | data[at + 5] * shade << 16 | data[at + 4] * shade << 8 | data[at + 3] * shade;
            for (let row = (py - half) * width + px - half, end = row + side * width; row < end; row += width)
                for (let i = row; i < row + side; i++)
                    if (w < depth[i]) { depth[i] = w; pixels[i] = colour; }
        }
        this.context.putImageData(this.image, 0, 0);
    }

    async finish() { /* nothing runs behind it */ }

    destroy() { this.image = this.pixels = this.depth = null; }
}
