// SPDX-License-Identifier: Apache-2.0
// points.js - the points of the cloud in columns: position, colour, id, label, unit of the map.
// The newest replace the oldest once `limit` is reached.

/** x, y, z, red, green, blue: what the renderers draw. */
export const STRIDE = 6;

const PALETTE = [[0.18, 0.45, 0.85], [0.90, 0.45, 0.13], [0.20, 0.62, 0.32], [0.80, 0.25, 0.30], [0.55, 0.36, 0.75],
                 [0.50, 0.38, 0.30], [0.86, 0.45, 0.72], [0.45, 0.55, 0.20], [0.10, 0.65, 0.70], [0.75, 0.62, 0.10]];

/* from small to large: dark violet, blue, teal, green, yellow */
const STOPS = [[0.27, 0.05, 0.37], [0.25, 0.32, 0.72], [0.13, 0.58, 0.60], [0.40, 0.78, 0.36], [0.97, 0.88, 0.20]];

/** A colour for a number from 0 to 1. */
export function ramp(t) {
    const at = Math.max(0, Math.min(1, t || 0)) * (STOPS.length - 1), i = Math.min(STOPS.length - 2, Math.floor(at)), f = at - i;
    return STOPS[i].map((low, c) => low + (STOPS[i + 1][c] - low) * f);
}

function hash(text) {
    let h = 2166136261;
    for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 16777619);
    return h >>> 0;
}

export class Points {
    constructor(limit = 200000) {
        this.limit = limit;
        this.clear();
        this.grow(4096);
        this.colouring = 'magnitude';
        this.units = 1;                 // of the map, for colours
    }

    grow(capacity) {
        const next = Math.min(capacity, this.limit);
        const copy = (old, size, Type) => { const made = new Type(size); if (old) made.set(old.subarray(0, Math.min(old.length, size))); return made; };
        this.data = copy(this.data, next * STRIDE, Float32Array);
        this.magnitude = copy(this.magnitude, next, Float32Array);
        this.unit = copy(this.unit, next, Int32Array);
        this.target = copy(this.target, next * 3, Float32Array);
        this.capacity = next;
    }

    clear() {
        this.count = 0;                 // points that exist
        this.next = 0;                  // slot of the next one
        this.seen = 0;                  // points that ever came
        this.ids = [];
        this.labels = [];
        this.largest = 1e-9;
        this.version = 0;               // changes with every change
        this.slotOf = new Map();        // id to slot
        this.moving = false;            // towards the targets
    }

    /** Adds a point; a known id moves. */
    add(id, label, x, y, z, magnitude, unit) {
        let slot = this.slotOf.get(id);
        if (slot === undefined) {
            if (this.next === this.capacity && this.capacity < this.limit) this.grow(this.capacity * 2);
            slot = this.next % this.capacity;
            this.next = slot + 1;
            if (this.count < this.capacity) this.count++;
            else this.slotOf.delete(this.ids[slot]);
            this.ids[slot] = id;
            this.slotOf.set(id, slot);
            this.seen++;
        }
        this.labels[slot] = label ?? '';
        this.magnitude[slot] = magnitude;
        this.unit[slot] = unit;
        if (magnitude > this.largest) this.largest = magnitude;
        this.data.set([x, y, z], slot * STRIDE);
        this.target.set([x, y, z], slot * 3);
        this.paint(slot);
        this.version++;
        return slot;
    }

    /** Gives a point another place, to which it moves, and another unit of the map. */
    move(slot, x, y, z, unit) {
        this.target.set([x, y, z], slot * 3);
        if (this.unit[slot] !== unit) {
            this.unit[slot] = unit;
            if (this.colouring === 'unit') this.paint(slot);
        }
        this.moving = true;
    }

    /** Moves all points by a share of the way that is left; near their targets they arrive. */
    glide(share) {
        if (!this.moving) return;
        let farthest = 0;
        for (let slot = 0; slot < this.count; slot++)
            for (let i = 0; i < 3; i++) {
                const at = slot * STRIDE + i, left = this.target[slot * 3 + i] - this.data[at];
                this.data[at] += left * share;
                if (Math.abs(left) > farthest) farthest = Math.abs(left);
            }
        if (farthest * (1 - share) < 1e-3) {
            for (let slot = 0; slot < this.count; slot++)
                this.data.set(this.target.subarray(slot * 3, slot * 3 + 3), slot * STRIDE);
            this.moving = false;
        }
        this.version++;
    }

    colourOf(slot) {
        if (this.colouring === 'label') return this.labels[slot] ? PALETTE[hash(this.labels[slot]) % PALETTE.length] : [0.5, 0.5, 0.5];
        if (this.colouring === 'unit') return this.unit[slot] < 0 ? [0.5, 0.5, 0.5] : ramp(this.unit[slot] / Math.max(1, this.units - 1));
        return ramp(this.magnitude[slot] / this.largest);
    }

    paint(slot) {
        this.data.set(this.colourOf(slot), slot * STRIDE + 3);
    }

    /** Colours all points by 'magnitude', 'label' or 'unit'; `chosen` slots stand out. */
    recolour(colouring = this.colouring, chosen = null) {
        this.colouring = colouring;
        for (let slot = 0; slot < this.count; slot++) {
            this.paint(slot);
            if (chosen && !chosen.has(slot))
                for (let i = 3; i < 6; i++) this.data[slot * STRIDE + i] = 0.25 * this.data[slot * STRIDE + i] + 0.3;
        }
        this.version++;
    }

    /** Slots whose label contains the text, at most `most`. */
    find(text, most = 50) {
        const wanted = text.trim().toLowerCase(), found = [];
        for (let slot = 0; wanted && slot < this.count && found.length < most; slot++)
            if (this.labels[slot].toLowerCase().includes(wanted)) found.push(slot);
        return found.sort((a, b) => this.labels[a].length - this.labels[b].length);
    }
}
