// SPDX-License-Identifier: Apache-2.0
// scene.js - the cloud on the page: draws when something changed, and turns what the user does
// with pointer, fingers and keys into movements of the camera, a picked point or a lasso.

import { attribute, colour, fit } from '../lib/dom.js';
import { shortened } from '../lib/format.js';
import { Camera } from './camera.js';
import { lasso, pick, project } from './select.js';

const GLIDE = 0.18;                     // share of the way to a new place in one frame
const CLICK = 4;                        // pixels: a shorter drag is a click
const FLUENT = 24;                      // ms of a frame while the camera moves
const AT_REST = 250;                    // ms after a movement
const STEP = 0.08;                      // radians that an arrow key turns
const still = matchMedia('(prefers-reduced-motion: reduce)');

function background() {
    return (colour('sunken').match(/[\d.]+/g) ?? [0, 0, 0]).slice(0, 3).map((value) => value / 255);
}

export class Scene {
    /** @param handlers {{ picked(slot), chosen(Set), moved(camera) }} */
    constructor(points, overlay, handlers) {
        this.points = points;
        this.overlay = overlay;
        this.handlers = handlers;
        this.camera = new Camera();
        this.size = 3;
        this.choosing = false;          // a lasso is drawn
        this.marked = [];               // slots with labels
        this.frameTime = 0;             // ms
        this.wholeTime = 0;             // the same of a frame with all points
        this.drawnAt = this.movedAt = -Infinity;
        this.fingers = new Map();       // places of pointers that are down, by id
        document.addEventListener('weft-theme', () => this.recolour());
        matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.recolour());
    }

    /** Draws with another renderer from now on. */
    attach({ cloud, canvas }) {
        this.cloud?.destroy();
        this.cloud = cloud;
        this.canvas = canvas;
        this.recolour();
        this.listen(canvas);
        new ResizeObserver(() => this.redraw()).observe(canvas);
        if (!this.running) { this.running = true; requestAnimationFrame(() => this.frame()); }
    }

    recolour() {
        this.back = background();
        this.redraw();
    }

    redraw() { this.dirty = true; }

    matrix() { return this.camera.matrix(this.canvas.width / this.canvas.height); }

    frame() {
        requestAnimationFrame(() => this.frame());
        fit(this.canvas);
        // Points that move leave the page as much time as they take; what the user does is drawn at once.
        if (!this.dirty && performance.now() - this.drawnAt < this.frameTime) return;
        this.points.glide(still.matches ? 1 : GLIDE);
        if (!this.dirty && this.drawn === this.points.version) return;
        this.dirty = false;
        this.drawn = this.points.version;
        this.draw();
    }

    /** Draws all points, or, while the camera moves and all would take too long, every so many. */
    draw() {
        const began = performance.now(), moving = began - this.movedAt < AT_REST;
        const every = moving ? Math.max(1, Math.ceil(this.wholeTime / FLUENT)) : 1;
        this.cloud.draw(this.points, this.matrix(), this.size * (this.canvas.width / this.canvas.clientWidth), this.back, every);
        this.annotate();
        this.drawnAt = performance.now();
        this.frameTime = this.drawnAt - began;
        if (every === 1) this.wholeTime = this.frameTime;
        clearTimeout(this.refining);
        if (every > 1) this.refining = setTimeout(() => this.redraw(), AT_REST);
    }

    /**
     * Where marks are drawn: on the cloud itself if its pixels are on the CPU, else on the canvas
     * above, which is hidden while it is empty. Null if there is nothing to draw.
     */
    paper() {
        const { overlay, cloud } = this, empty = !this.marked.length && !(this.path?.length > 1);
        attribute(overlay, 'hidden', empty || cloud.context2d ? '' : null);
        if (empty || cloud.context2d) return empty ? null : cloud.context2d;
        fit(overlay);
        const context = overlay.getContext('2d');
        context.clearRect(0, 0, overlay.width, overlay.height);
        return context;
    }

    /** Labels of marked points, and the lasso. */
    annotate() {
        const context = this.paper();
        if (!context) return;
        const { width, height } = this.canvas, scale = width / this.canvas.clientWidth, matrix = this.matrix();
        context.font = `${12 * scale}px ${getComputedStyle(this.canvas).fontFamily}`;
        context.lineJoin = 'round';
        const at = (slot) => project(this.points, slot, matrix, width, height);
        const places = this.marked.map(at), taken = [];
        for (let i = places.length - 1; i >= 0; i--) if (places[i]) this.ring(context, places[i], i ? 3.5 : 7, scale);
        places.forEach((place, i) => { if (place) this.label(context, this.marked[i], place, scale, taken); });
        if (this.path?.length > 1) this.outline(context, scale);
    }

    /** A line with a rim in the colour of the background, to be seen on every colour. */
    rimmed(context, scale, width) {
        context.strokeStyle = colour('sunken');
        context.lineWidth = (width + 2.5) * scale;
        context.stroke();
        context.strokeStyle = colour('mark');
        context.lineWidth = width * scale;
        context.stroke();
    }

    ring(context, [x, y], radius, scale) {
        context.beginPath();
        context.arc(x, y, radius * scale, 0, 2 * Math.PI);
        this.rimmed(context, scale, 1.5);
    }

    outline(context, scale) {
        context.beginPath();
        for (const [x, y] of this.path) context.lineTo(x, y);
        context.closePath();
        this.rimmed(context, scale, 1.5);
    }

    /** The name of a point beside it, unless it would cover another name. */
    label(context, slot, [x, y], scale, taken) {
        const name = shortened(this.points.labels[slot] || String(this.points.ids[slot]), 40);
        const wide = context.measureText(name).width, tall = 14 * scale, from = x + wide + 10 * scale > context.canvas.width ? x - wide - 9 * scale : x + 9 * scale;
        const box = [from, y - 12 * scale, from + wide, y - 12 * scale + tall];
        if (taken.some((other) => box[0] < other[2] && other[0] < box[2] && box[1] < other[3] && other[1] < box[3])) return;
        taken.push(box);
        context.strokeStyle = colour('sunken');
        context.lineWidth = 3 * scale;
        context.strokeText(name, from, y - scale);
        context.fillStyle = colour('ink');
        context.fillText(name, from, y - scale);
    }

    mark(slots) {
        this.marked = slots;
        this.redraw();
    }

    setChoosing(on) {
        this.choosing = on;
        this.canvas?.classList.toggle('choosing', on);
    }

    /** A place of an event in pixels of the canvas. */
    place(event) {
        const box = this.canvas.getBoundingClientRect(), scale = this.canvas.width / this.canvas.clientWidth;
        return [(event.clientX - box.left) * scale, (event.clientY - box.top) * scale];
    }

    listen(canvas) {
        canvas.addEventListener('pointerdown', (event) => this.press(event));
        canvas.addEventListener('pointermove', (event) => this.drag(event));
        canvas.addEventListener('pointerup', (event) => this.release(event));
        canvas.addEventListener('pointercancel', (event) => this.cancel(event));
        canvas.addEventListener('wheel', (event) => {
            event.preventDefault();
            this.camera.zoom(Math.exp(event.deltaY * 0.001));
            this.settle();
        }, { passive: false });
        canvas.addEventListener('keydown', (event) => this.key(event));
    }

    /** The distance of two fingers in pixels. */
    spread() {
        const [a, b] = this.fingers.values();
        return Math.max(1, Math.hypot(a[0] - b[0], a[1] - b[1]));
    }

    press(event) {
        this.canvas.setPointerCapture(event.pointerId);
        this.fingers.set(event.pointerId, [event.clientX, event.clientY]);
        if (this.fingers.size > 1) {        // two fingers zoom; what the first began is dropped
            this.from = this.path = null;
            return;
        }
        this.from = [event.clientX, event.clientY];
        this.travelled = 0;
        this.path = this.choosing ? [this.place(event)] : null;
    }

    drag(event) {
        if (this.fingers.size === 2 && this.fingers.has(event.pointerId)) { this.pinch(event); return; }
        if (!this.from) return;
        const dx = event.clientX - this.from[0], dy = event.clientY - this.from[1];
        this.from = [event.clientX, event.clientY];
        this.travelled += Math.hypot(dx, dy);
        if (this.path) this.path.push(this.place(event));
        else if (event.shiftKey || event.buttons & 4) this.camera.pan(dx / this.canvas.clientHeight, dy / this.canvas.clientHeight);
        else this.camera.orbit(dx * 0.008, dy * 0.008);
        if (!this.path) this.movedAt = performance.now();
        this.redraw();
    }

    pinch(event) {
        const before = this.spread();
        this.fingers.set(event.pointerId, [event.clientX, event.clientY]);
        this.camera.zoom(before / this.spread());
        this.settle();
    }

    cancel(event) {
        this.fingers.delete(event.pointerId);
        this.from = this.path = null;
        this.redraw();
    }

    release(event) {
        this.fingers.delete(event.pointerId);
        if (!this.from) return;
        const { width, height } = this.canvas, path = this.path;
        this.from = this.path = null;
        if (this.travelled < CLICK) this.handlers.picked(pick(this.points, this.matrix(), width, height, ...this.place(event), 12));
        else if (path) this.handlers.chosen(lasso(this.points, this.matrix(), width, height, path));
        else this.settle();
        this.redraw();
    }

    key(event) {
        const turn = { ArrowLeft: [-STEP, 0], ArrowRight: [STEP, 0], ArrowUp: [0, STEP], ArrowDown: [0, -STEP] }[event.key];
        if (turn) this.camera.orbit(...turn);
        else if (event.key === '+' || event.key === '=') this.camera.zoom(0.9);
        else if (event.key === '-') this.camera.zoom(1 / 0.9);
        else if (event.key === 'Enter') this.handlers.picked(pick(this.points, this.matrix(), this.canvas.width, this.canvas.height,
            this.canvas.width / 2, this.canvas.height / 2, this.canvas.width));
        else return;
        event.preventDefault();
        this.settle();
    }

    settle() {
        this.movedAt = performance.now();
        this.redraw();
        this.handlers.moved(this.camera);
    }
}
