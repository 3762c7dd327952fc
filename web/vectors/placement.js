// SPDX-License-Identifier: Apache-2.0
// placement.js - where vectors belong in the pictures: the axes of the projection and the units
// of the map, as one matrix.
//
// Rows get a 1 appended, so that one product gives everything: the centred coordinates along the
// axes, and for each unit w the squared distance to it up to |x|^2, which is |w|^2 - 2 x.w.

/** Coordinates of a point; the columns after them belong to the units of the map. */
export const AXES = 3;

const PART_WORK = 8e6;                  // products between two pauses: some 10 ms

/** Lets the browser answer input and draw. */
export function pause() {
    return new Promise((resolve) => { setTimeout(resolve); });
}

/** The CPU's way: out[row][column] = rows[row] . matrix[column], both `inner` numbers long. */
export function multiply(rows, matrix, inner) {
    const count = rows.length / inner, columns = matrix.length / inner, out = new Float32Array(count * columns);
    for (let r = 0; r < count; r++)
        for (let c = 0; c < columns; c++) {
            let x = r * inner, w = c * inner, s0 = 0, s1 = 0, s2 = 0, s3 = 0;       // four sums: additions overlap
            const end = x + inner;
            for (; x + 3 < end; x += 4, w += 4) {
                s0 += rows[x] * matrix[w];
                s1 += rows[x + 1] * matrix[w + 1];
                s2 += rows[x + 2] * matrix[w + 2];
                s3 += rows[x + 3] * matrix[w + 3];
            }
            for (; x < end; x++, w++) s0 += rows[x] * matrix[w];
            out[r * columns + c] = s0 + s1 + (s2 + s3);
        }
    return out;
}

/** The same, with pauses. */
export async function multiplyInParts(rows, matrix, inner) {
    const count = rows.length / inner, columns = matrix.length / inner, part = Math.max(1, Math.floor(PART_WORK / matrix.length));
    if (count <= part) return multiply(rows, matrix, inner);
    const out = new Float32Array(count * columns);
    for (let first = 0; first < count; first += part) {
        out.set(multiply(rows.subarray(first * inner, (first + part) * inner), matrix, inner), first * columns);
        await pause();
    }
    return out;
}

function scaleToOne(row) {
    let sum = 0;
    for (const value of row) sum += value * value;
    const factor = sum > 0 ? 1 / Math.sqrt(sum) : 0;
    for (let i = 0; i < row.length; i++) row[i] *= factor;
}

export class Placement {
    /** Until the server sends axes, the first three components are the coordinates. */
    constructor(dimension) {
        this.dimension = dimension;
        this.inner = dimension + 1;
        this.units = 0;
        this.normalised = false;        // rows are scaled to length 1, as the server does
        this.version = 0;               // changes with axes and units
        this.matrix = new Float32Array(AXES * this.inner);
        for (let a = 0; a < Math.min(AXES, dimension); a++) this.matrix[a * this.inner + a] = 1;
    }

    get columns() { return AXES + this.units; }

    /** The placement as it is now, for results that come later. */
    snapshot() { return Object.assign(Object.create(Placement.prototype), this); }

    /** @param {{ axes: Float32Array, mean: Float32Array, scale: number }} projection axes[3][dimension] */
    setProjection({ axes, mean, scale = 1 }) {
        const { dimension, inner, matrix } = this;
        if (axes.length !== AXES * dimension || mean.length !== dimension) throw new Error('the projection has another dimension');
        this.version++;
        for (let a = 0; a < AXES; a++) {
            let shift = 0;
            for (let d = 0; d < dimension; d++) {
                const value = axes[a * dimension + d] * scale;
                matrix[a * inner + d] = value;
                shift -= value * mean[d];
            }
            matrix[a * inner + dimension] = shift;
        }
    }

    /** @param {Float32Array} weights of the map: [units][dimension] */
    setUnits(weights) {
        const { dimension, inner } = this, units = weights.length / dimension;
        if (!Number.isInteger(units)) throw new Error('the map has another dimension');
        this.version++;
        if (units !== this.units) {
            const next = new Float32Array((AXES + units) * inner);
            next.set(this.matrix.subarray(0, AXES * inner));
            this.matrix = next;
            this.units = units;
        }
        for (let u = 0; u < units; u++) {
            let length = 0;
            for (let d = 0; d < dimension; d++) {
                const w = weights[u * dimension + d];
                this.matrix[(AXES + u) * inner + d] = -2 * w;
                length += w * w;
            }
            this.matrix[(AXES + u) * inner + dimension] = length;
        }
    }

    /** Rows with their 1 appended. */
    extend(vectors) {
        const { dimension, inner } = this, count = Math.floor(vectors.length / dimension), rows = new Float32Array(count * inner);
        for (let r = 0; r < count; r++) {
            const row = vectors.subarray(r * dimension, (r + 1) * dimension);
            rows.set(row, r * inner);
            if (this.normalised) scaleToOne(rows.subarray(r * inner, r * inner + dimension));
            rows[r * inner + dimension] = 1;
        }
        return rows;
    }

    /** The unit nearest to a row of results; -1 without a map. */
    nearest(results, row) {
        const start = row * this.columns + AXES;
        let best = -1, least = Infinity;
        for (let u = 0; u < this.units; u++)
            if (results[start + u] < least) { least = results[start + u]; best = u; }
        return best;
    }
}
