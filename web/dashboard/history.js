// SPDX-License-Identifier: Apache-2.0
// history.js - the last readings in columns of fixed size: an hour of them takes no more memory
// than a minute.

export class History {
    /** @param {number} size  @param {string[]} names of the columns beside the time */
    constructor(size, names) {
        this.size = size;
        this.names = names;
        this.count = 0;
        this.columns = new Map(['time', ...names].map((name) => [name, new Float64Array(size)]));
    }

    /** Adds a reading; the oldest leaves. null is a gap. */
    push(time, values) {
        const at = Math.min(this.count, this.size - 1);
        for (const [name, column] of this.columns) {
            if (this.count === this.size) column.copyWithin(0, 1);
            column[at] = name === 'time' ? time : values[name] ?? NaN;
        }
        this.count = Math.min(this.count + 1, this.size);
    }

    /** [time, ...columns] for uPlot, which draws gaps for null. */
    data(names) {
        const cut = (name) => this.columns.get(name).subarray(0, this.count);
        return [cut('time'), ...names.map((name) => Array.from(cut(name), (x) => Number.isNaN(x) ? null : x))];
    }
}
