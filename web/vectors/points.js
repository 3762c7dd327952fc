// SPDX-License-Identifier: Apache-2.0
// points.js - the points of the cloud in columns: position, colour, id, label, unit of the map.
// The newest replace the oldest once `limit` is reached.

/** x, y, z, red, green, blue: what the renderers draw. */
export const STRIDE = 6;

const PALETTE = [[0.18, 0.45, 0.85], [0.90, 0.45, 0.13], [0.20, 0.62, 0.32], [0.80, 0.25, 0.30], [0.55, 0.36, 0.75],
                 [0.50, 0.38, 0.30], [0.86, 0.45, 0.72], [0.45, 0.55, 0.20], [0.10, 0.65, 0.70], [0.75, 0.62, 0.10]];

/* from small to large: violet, blue, teal, green, yellow; all can be seen on light and dark */
const STOPS = [[0.46, 0.18, 0.62], [0.26, 0.36, 0.76], [0.13, 0.58, 0.60], [0.40, 0.78, 0.36], [0.97, 0.88, 0.20]];

/** A colour for a number from 0 to 1. */
export function ramp(t) {
    const at = Math.max(0, Math.min(1, t || 0)) * (STOPS.length - 1), i = Math.min(STOPS.length - 2, Math.floor(at)), f = at - i;
    return STOPS[i].map((low, c) => low + (STOPS[i + 1][c] - low) * f);
}

/* of the corners of the map: upper left, upper right, lower left, lower right */
const CORNERS = [[0.16, 0.42, 0.95], [0.05, 0.68, 0.42], [0.84, 0.22, 0.62], [0.95, 0.60, 0.10]];

/** The colour of a unit: neighbours on the map have similar ones. */
export function unitColour(unit, width, height) {
    const x = unit % width / Math.max(1, width - 1), y = Math.floor(unit / width) / Math.max(1, height - 1);
    const shares = [(1 - x) * (1 - y), x * (1 - y), (1 - x) * y, x * y];
    return [0, 1, 2].map((c) => CORNERS.reduce((sum, corner, i) => sum + shares[i] * corner[c], 0));
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
        this.mapSize = [1, 1];          // units of the map, for colours
        this.chosen = null;             // slots that stand out; null: none
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
        this.lower = [];                // labels in lower case
        this.chosen = null;
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
            else this.leave(slot);
            this.ids[slot] = id;
            this.slotOf.set(id, slot);
            this.seen++;
        }
        this.labels[slot] = label ?? '';
        this.lower[slot] = this.labels[slot].toLowerCase();
        this.magnitude[slot] = magnitude;
        this.unit[slot] = unit;
        if (magnitude > this.largest) this.largest = magnitude;
        this.data.set([x, y, z], slot * STRIDE);
        this.target.set([x, y, z], slot * 3);
        this.paint(slot);
        this.version++;
        return slot;
    }

    /** The slot's point makes room for another. */
    leave(slot) {
        this.slotOf.delete(this.ids[slot]);
        this.chosen?.delete(slot);
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
                for (let i = 0; i < 3; i++) this.data[slot * STRIDE + i] = this.target[slot * 3 + i];
            this.moving = false;
        }
        this.version++;
    }

    colourOf(slot) {
        if (this.colouring === 'label') return this.labels[slot] ? PALETTE[hash(this.labels[slot]) % PALETTE.length] : [0.5, 0.5, 0.5];
        if (this.colouring === 'unit') return this.unit[slot] < 0 ? [0.5, 0.5, 0.5] : unitColour(this.unit[slot], ...this.mapSize);
        return ramp(this.magnitude[slot] / this.largest);
    }

    paint(slot) {
        const dull = this.chosen && !this.chosen.has(slot);
        this.data.set(dull ? this.colourOf(slot).map((c) => 0.25 * c + 0.3) : this.colourOf(slot), slot * STRIDE + 3);
    }

    /** Colours all points by 'magnitude', 'label' or 'unit'. */
    recolour(colouring = this.colouring) {
        this.colouring = colouring;
        for (let slot = 0; slot < this.count; slot++) this.paint(slot);
        this.version++;
    }

    /** Makes a set of slots stand out; null: all are as before. */
    choose(slots) {
        this.chosen = slots;
        this.recolour();
    }

    /** The `most` slots with the shortest labels that contain the text: an equal one is the first. */
    find(text, most = 50) {
        const wanted = text.trim().toLowerCase(), found = [];
        for (let slot = 0; wanted && slot < this.count; slot++)
            if (this.lower[slot].includes(wanted)) found.push(slot);
        return found.sort((a, b) => this.lower[a].length - this.lower[b].length).slice(0, most);
    }
}
