// SPDX-License-Identifier: Apache-2.0
// frame.js - the binary messages of the sub-protocol weft.live: a head, ids, numbers, labels.

export const PROTOCOL = 'weft.live';
const HEAD = 32, FLAG_IDS = 1, FLAG_LABELS = 2, F32 = 1;

/** @returns {{ seq, ids, labels, dimension, count, data: Float32Array }} */
export function readFrame(buffer) {
    if (buffer.byteLength < HEAD) throw new Error('a binary message is shorter than its head');
    const view = new DataView(buffer), number = (at) => Number(view.getBigUint64(at, true));
    const dimension = view.getUint32(16, true), count = view.getUint32(20, true), flags = view.getUint32(28, true);
    if (view.getUint32(24, true) !== F32) throw new Error('a binary message has an unknown type of numbers');
    const listed = flags & FLAG_IDS ? count : 0, start = HEAD + listed * 8, end = start + count * dimension * 4;
    if (end > buffer.byteLength) throw new Error('a binary message is shorter than its head says');
    const first = number(8);
    return {
        seq: number(0), dimension, count,
        ids: Array.from({ length: count }, (_, i) => listed ? number(HEAD + i * 8) : first + i),
        labels: flags & FLAG_LABELS ? JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, end))) : null,
        data: new Float32Array(buffer, start, count * dimension),
    };
}

/** The same of a vector_batch in JSON. Vectors of other lengths than the first are left out. */
export function readBatch(message) {
    const dimension = message.vectors[0]?.length ?? 0;
    const kept = message.vectors.map((vector, i) => i).filter((i) => message.vectors[i].length === dimension);
    const data = new Float32Array(kept.length * dimension);
    kept.forEach((i, row) => data.set(message.vectors[i], row * dimension));
    return { seq: message.seq ?? 0, dimension, count: kept.length, data,
             ids: message.ids ? kept.map((i) => message.ids[i]) : null,
             labels: message.labels ? kept.map((i) => message.labels[i]) : null };
}
