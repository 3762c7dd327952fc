// SPDX-License-Identifier: Apache-2.0
// map.js - the self-organising map as a grid of coloured units: U-matrix, hits, one component, or
// the colours that units have in the cloud.

import { colour, fit } from '../lib/dom.js';
import { ramp, unitColour } from './points.js';

const css = ([r, g, b]) => `rgb(${Math.round(r * 255)} ${Math.round(g * 255)} ${Math.round(b * 255)})`;

function range(values) {
    let low = Infinity, high = -Infinity;
    for (const v of values) { if (v < low) low = v; if (v > high) high = v; }
    return low < high ? [low, high] : [low, low + 1];
}

export class MapView {
    constructor(canvas) {
        this.canvas = canvas;
        this.width = this.height = 0;   // units
        this.hexagonal = true;
        this.values = null;             // [units]; null: the colours of the cloud, once there is a map
        this.mark = -1;                 // unit of the chosen point
    }

    /** @param {{ width, height, hexagonal, values }} map */
    show(map) {
        Object.assign(this, map);
        this.draw();
    }

    /** As before the first map. */
    clear() {
        this.mark = -1;
        this.show({ width: 0, height: 0, values: null });
    }

    /** Centre and size of a unit on the canvas. */
    place(unit) {
        const { width, height } = this.canvas, column = unit % this.width, row = Math.floor(unit / this.width);
        const wide = width / (this.width + (this.hexagonal ? 0.5 : 0)), shift = this.hexagonal && row % 2 ? 0.5 : 0;
        const tall = height / (this.hexagonal ? (this.height - 1) * 0.75 + 1 : this.height);
        return { x: (column + 0.5 + shift) * wide, y: (this.hexagonal ? row * 0.75 + 0.5 : row + 0.5) * tall, wide, tall };
    }

    cell(context, { x, y, wide, tall }) {
        context.beginPath();
        if (!this.hexagonal) { context.rect(x - wide / 2, y - tall / 2, wide + 0.5, tall + 0.5); return; }
        const corners = [[0, -0.5], [0.5, -0.25], [0.5, 0.25], [0, 0.5], [-0.5, 0.25], [-0.5, -0.25]];
        for (const [cx, cy] of corners) context.lineTo(x + cx * (wide + 0.7), y + cy * (tall + 0.7));
        context.closePath();
    }

    draw() {
        fit(this.canvas);
        const context = this.canvas.getContext('2d');
        context.fillStyle = colour('sunken');
        context.fillRect(0, 0, this.canvas.width, this.canvas.height);
        const [low, high] = this.values ? range(this.values) : [0, 1];
        for (let unit = 0; unit < this.width * this.height; unit++) {
            context.fillStyle = css(this.values ? ramp((this.values[unit] - low) / (high - low))
                : unitColour(unit, this.width, this.height));
            this.cell(context, this.place(unit));
            context.fill();
        }
        if (this.mark >= 0 && this.mark < this.width * this.height) {
            this.cell(context, this.place(this.mark));
            context.strokeStyle = colour('bad');
            context.lineWidth = 3;
            context.stroke();
        }
    }

    /** The unit at a place of the canvas, in CSS pixels. */
    unitAt(x, y) {
        const scale = this.canvas.width / this.canvas.clientWidth;
        let best = -1, least = Infinity;
        for (let unit = 0; unit < this.width * this.height; unit++) {
            const at = this.place(unit), distance = Math.hypot(at.x - x * scale, at.y - y * scale);
            if (distance < least) { least = distance; best = unit; }
        }
        return best;
    }
}
