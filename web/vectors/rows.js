// SPDX-License-Identifier: Apache-2.0
// rows.js - the vectors behind the points, slot by slot, so that they can be placed again when
// the projection or the map has moved.

const MAX_BYTES = 128 << 20;

export class Rows {
    constructor(dimension) {
        this.dimension = dimension;
        this.limit = Math.floor(MAX_BYTES / 4 / Math.max(1, dimension));
        this.data = new Float32Array(0);
    }

    set(slot, data, row) {
        const { dimension } = this, end = (slot + 1) * dimension;
        if (end > this.data.length) {
            const next = new Float32Array(Math.max(end, Math.min(this.data.length * 2, this.limit * dimension)));
            next.set(this.data);
            this.data = next;
        }
        this.data.set(data.subarray(row * dimension, (row + 1) * dimension), slot * dimension);
    }

    /** The vectors of `count` slots from `first` on, not copied. */
    part(first, count) {
        return this.data.subarray(first * this.dimension, (first + count) * this.dimension);
    }
}
