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

/** The colours from the smallest to the largest value, from left to right. */
export function drawRamp(canvas) {
    const context = canvas.getContext('2d');
    for (let x = 0; x < canvas.width; x++) {
        context.fillStyle = css(ramp(x / (canvas.width - 1)));
        context.fillRect(x, 0, 1, canvas.height);
    }
}

export class MapView {
    constructor(canvas) {
        this.canvas = canvas;
        // Pixels on the CPU: a thousand small shapes are slow on software devices.
        this.context = canvas.getContext('2d', { willReadFrequently: true });
        this.grid = document.createElement('canvas');       // the units without the mark
        this.width = this.height = 0;   // units
        this.hexagonal = true;
        this.root = false;              // colours by the square root: a few large values hide no others
        this.values = null;             // [units]; null: the colours of the cloud, once there is a map
        this.mark = -1;                 // unit of the chosen point
    }

    /** The smallest and the largest of the values that are shown; null for the colours of the cloud. */
    get range() { return this.values && this.width ? range(this.values) : null; }

    /** @param {{ width, height, hexagonal, values, root }} map */
    show(map) {
        Object.assign(this, map);
        this.draw();
    }

    /** As before the first map. */
    clear() {
        this.mark = -1;
        this.show({ width: 0, height: 0, values: null });
    }

    /** Marks a unit; -1: none. Only the mark is drawn again. */
    choose(unit) {
        if (this.mark === unit) return;
        this.mark = unit;
        this.drawMark();
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
        const { grid, canvas } = this;
        grid.width = canvas.width;
        grid.height = canvas.height;
        const context = grid.getContext('2d', { willReadFrequently: true });
        const [low, high] = this.range ?? [0, 1];
        for (let unit = 0; unit < this.width * this.height; unit++) {
            const share = this.values ? (this.values[unit] - low) / (high - low) : 0;
            context.fillStyle = css(this.values ? ramp(this.root ? Math.sqrt(share) : share)
                : unitColour(unit, this.width, this.height));
            this.cell(context, this.place(unit));
            context.fill();
        }
        this.drawMark();
    }

    drawMark() {
        const { context, canvas, grid } = this;
        context.clearRect(0, 0, canvas.width, canvas.height);
        context.drawImage(grid, 0, 0);
        if (this.mark < 0 || this.mark >= this.width * this.height) return;
        this.cell(context, this.place(this.mark));
        const scale = canvas.width / (canvas.clientWidth || 1);
        for (const [name, width] of [['card', 5], ['ink', 2.5]]) {  // a rim: it is seen on every colour
            context.strokeStyle = colour(name);
            context.lineWidth = width * scale;
            context.stroke();
        }
    }

    /** The unit that a key leads to from the marked one; -1: none; null: the key means nothing here. */
    step(key) {
        if (!this.width) return null;
        if (key === 'Escape') return -1;
        const move = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[key];
        if (!move) return null;
        const start = this.mark < 0 ? Math.floor(this.height / 2) * this.width + Math.floor(this.width / 2) : this.mark;
        const column = start % this.width + (this.mark < 0 ? 0 : move[0]), row = Math.floor(start / this.width) + (this.mark < 0 ? 0 : move[1]);
        return Math.max(0, Math.min(this.height - 1, row)) * this.width + Math.max(0, Math.min(this.width - 1, column));
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
