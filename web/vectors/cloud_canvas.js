// SPDX-License-Identifier: Apache-2.0
// cloud_canvas.js - the cloud without any GPU: points into the pixels of a 2D canvas, with a
// depth for each pixel.

import { STRIDE } from './points.js';

const MANY = 50000;                     // points from which they are drawn half as wide

/** How many pixels a disc leaves out at each end of a row; small ones stay squares. */
function disc(side) {
    const radius = side / 2;
    return Uint8Array.from({ length: side }, (_, row) => side < 4 ? 0
        : Math.round(radius - Math.sqrt(Math.max(0, radius * radius - (row + 0.5 - radius) ** 2))));
}

export class CanvasCloud {
    static async create(canvas) {
        // Pixels on the CPU: they are written there, and so are the marks above them.
        const context = canvas.getContext('2d', { alpha: false, willReadFrequently: true });
        if (!context) throw new Error('this browser has no 2D canvas');
        return new CanvasCloud(canvas, context);
    }

    constructor(canvas, context) {
        this.name = '2D canvas';
        this.canvas = canvas;
        this.context = this.context2d = context;
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

    /** Draws every so many points. The pixels of the last picture are shown again if it would be the same. */
    draw(points, matrix, size, background, every = 1) {
        const made = [every, points.version, points.count, size, this.canvas.width, this.canvas.height, ...background, ...matrix].join();
        if (made !== this.made || !this.image) this.paint(points, matrix, size, background, every);
        this.made = made;
        this.context.putImageData(this.image, 0, 0);
    }

    paint(points, matrix, size, [red, green, blue], every) {
        this.fit();
        const { width, height } = this.canvas, { pixels, depth } = this, { data, count } = points;
        pixels.fill(0xff000000 | Math.round(blue * 255) << 16 | Math.round(green * 255) << 8 | Math.round(red * 255));
        depth.fill(Infinity);
        // Rows of the matrix in numbers of their own, x and y in pixels before the division by w.
        const [x0, y0, , w0, x1, y1, , w1, x2, y2, , w2, x3, y3, , w3] = matrix, right = width / 2, down = -height / 2;
        const side = Math.max(1, Math.round(count > MANY ? size / 2 : size)), half = side >> 1, cuts = disc(side);
        for (let at = 0; at < count * STRIDE; at += every * STRIDE) {
            const x = data[at], y = data[at + 1], z = data[at + 2];
            const w = w0 * x + w1 * y + w2 * z + w3;
            if (w <= 0.01) continue;
            const px = (x0 * x + x1 * y + x2 * z + x3) * right / w + right | 0;
            const py = (y0 * x + y1 * y + y2 * z + y3) * down / w - down | 0;
            if (px < half || py < half || px + side - half > width || py + side - half > height) continue;
            const shade = Math.max(0.45, Math.min(1, 1.35 - w * 0.12)) * 255;
            const colour = 0xff000000 | data[at + 5] * shade << 16 | data[at + 4] * shade << 8 | data[at + 3] * shade;
            for (let r = 0, row = (py - half) * width + px - half; r < side; r++, row += width)
                for (let i = row + cuts[r], end = row + side - cuts[r]; i < end; i++)
                    if (w < depth[i]) { depth[i] = w; pixels[i] = colour; }
        }
    }

    async finish() { /* nothing runs behind it */ }

    destroy() { this.image = this.pixels = this.depth = null; }
}
