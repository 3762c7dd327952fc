// SPDX-License-Identifier: Apache-2.0
// camera.js - a camera that orbits around a point. Matrices are columns, as WGSL and GLSL read
// them; depth goes from 0 to 1.

const FIELD = Math.PI / 4;              // of view, from top to bottom
const NEAR = 0.01, FAR = 100;
const MAX_TILT = Math.PI / 2 - 0.01;

function multiply(a, b) {
    const out = new Float32Array(16);
    for (let c = 0; c < 4; c++)
        for (let r = 0; r < 4; r++)
            out[c * 4 + r] = a[r] * b[c * 4] + a[4 + r] * b[c * 4 + 1] + a[8 + r] * b[c * 4 + 2] + a[12 + r] * b[c * 4 + 3];
    return out;
}

/** FIELD is seen along the shorter side. */
function perspective(aspect) {
    const f = 1 / Math.tan(FIELD / 2), depth = FAR / (NEAR - FAR), narrow = Math.min(1, aspect);
    return new Float32Array([f * narrow / aspect, 0, 0, 0, 0, f * narrow, 0, 0, 0, 0, depth, -1, 0, 0, depth * NEAR, 0]);
}

export class Camera {
    constructor() {
        this.narrow = 1;                // width by height of the view, if it is narrow
        this.reset();
    }

    reset() {
        this.turn = 0.6;                // around the vertical axis
        this.tilt = 0.35;               // above the horizon
        this.distance = 2.8;
        this.target = [0, 0, 0];
    }

    orbit(dx, dy) {
        this.turn -= dx;
        this.tilt = Math.max(-MAX_TILT, Math.min(MAX_TILT, this.tilt + dy));
    }

    zoom(factor) {
        this.distance = Math.max(0.05, Math.min(50, this.distance * factor));
    }

    /** Moves the target by shares of the height of the view. */
    pan(dx, dy) {
        const [right, up] = this.axes(), scale = 2 * Math.tan(FIELD / 2) * this.distance / this.narrow;
        for (let i = 0; i < 3; i++) this.target[i] += scale * (-dx * right[i] + dy * up[i]);
    }

    /** Right, up and backward in the world. */
    axes() {
        const st = Math.sin(this.turn), ct = Math.cos(this.turn), su = Math.sin(this.tilt), cu = Math.cos(this.tilt);
        return [[ct, 0, -st], [-st * su, cu, -ct * su], [st * cu, su, ct * cu]];
    }

    /** From the world to clip space. */
    matrix(aspect) {
        this.narrow = Math.min(1, aspect);
        const [right, up, back] = this.axes();
        const eye = this.target.map((t, i) => t + back[i] * this.distance);
        const dot = (a) => -(a[0] * eye[0] + a[1] * eye[1] + a[2] * eye[2]);
        const view = new Float32Array([right[0], up[0], back[0], 0, right[1], up[1], back[1], 0,
                                       right[2], up[2], back[2], 0, dot(right), dot(up), dot(back), 1]);
        return multiply(perspective(aspect), view);
    }

    save() {
        return { turn: this.turn, tilt: this.tilt, distance: this.distance, target: [...this.target] };
    }

    /** Takes a saved camera over; what is malformed is ignored. */
    restore(saved) {
        for (const name of ['turn', 'tilt', 'distance'])
            if (Number.isFinite(saved?.[name])) this[name] = saved[name];
        if (Array.isArray(saved?.target) && saved.target.length === 3 && saved.target.every(Number.isFinite))
            this.target = [...saved.target];
        this.orbit(0, 0);               // within the limits
        this.zoom(1);
    }
}
