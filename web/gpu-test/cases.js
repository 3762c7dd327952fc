// SPDX-License-Identifier: Apache-2.0
// cases.js - the kernels, their data, and what they must give, in double precision.
//
// A case has: name, size (as shown), desc (for Dispatch.create), want() -> Float64Array,
// tolerance (absolute, beside the same share of the value), and work: what a rate counts.

import * as kernels from './kernels.js';

/** The same numbers each time, from -1 up to 1. */
export function noise(count, seed) {
    let state = seed * 2654435761 >>> 0;
    return Float32Array.from({ length: count }, () => {
        state = state + 0x6d2b79f5 >>> 0;
        let x = Math.imul(state ^ state >>> 15, state | 1);
        x ^= x + Math.imul(x ^ x >>> 7, x | 61);
        return ((x ^ x >>> 14) >>> 0) / 2 ** 31 - 1;
    });
}

/** Numbers as the fields of a uniform structure: a number is u32, { f } is f32. */
function uniform(...fields) {
    const view = new DataView(new ArrayBuffer(fields.length * 4));
    fields.forEach((field, i) => typeof field === 'object' ? view.setFloat32(i * 4, field.f, true) : view.setUint32(i * 4, field, true));
    return view.buffer;
}

const ceil = (n, by) => Math.ceil(n / by);

export function matmul(m, n, k, { tiled = false, constants = {} } = {}) {
    const a = noise(m * k, 1), b = noise(k * n, 2);
    const x = tiled ? constants.TILE ?? 16 : constants.X ?? 16, y = tiled ? x : constants.Y ?? 16;
    return {
        name: tiled ? 'matmul, tiled' : 'matmul', size: `${m} × ${k} × ${n}`, tolerance: 1e-5 * Math.sqrt(k),
        work: { count: 2 * m * n * k, unit: 'FLOP/s' },
        desc: { wgsl: tiled ? kernels.matmul_tiled : kernels.matmul, inputs: [a, b], outputSize: m * n,
                sizes: uniform(m, n, k), groups: [ceil(n, x), ceil(m, y)], constants },
        want() {
            const c = new Float64Array(m * n);
            for (let i = 0; i < m; i++)
                for (let l = 0; l < k; l++)
                    for (let j = 0, left = a[i * k + l]; j < n; j++) c[i * n + j] += left * b[l * n + j];
            return c;
        },
    };
}

export function softmax(rows, width, constants = {}) {
    const x = noise(rows * width, 3).map((v) => 8 * v);
    return {
        name: 'softmax', size: `${rows} × ${width}`, tolerance: 1e-6, work: { count: 8 * rows * width, unit: 'B/s' },
        desc: { wgsl: kernels.softmax, inputs: [x], outputSize: rows * width, sizes: uniform(rows, width), groups: [rows], constants },
        want() {
            const y = new Float64Array(rows * width);
            for (let r = 0; r < rows; r++) {
                const row = x.subarray(r * width, (r + 1) * width);
                const most = row.reduce((p, q) => Math.max(p, q));
                const sum = row.reduce((p, q) => p + Math.exp(q - most), 0);
                row.forEach((v, i) => { y[r * width + i] = Math.exp(v - most) / sum; });
            }
            return y;
        },
    };
}

export function rmsnorm(rows, width, constants = {}) {
    const x = noise(rows * width, 4), weight = noise(width, 5), epsilon = 1e-5;
    return {
        name: 'RMSNorm', size: `${rows} × ${width}`, tolerance: 1e-5, work: { count: 8 * rows * width, unit: 'B/s' },
        desc: { wgsl: kernels.rmsnorm, inputs: [x, weight], outputSize: rows * width,
                sizes: uniform(rows, width, { f: epsilon }), groups: [rows], constants },
        want() {
            const y = new Float64Array(rows * width);
            for (let r = 0; r < rows; r++) {
                let squares = 0;
                for (let i = 0; i < width; i++) squares += x[r * width + i] ** 2;
                const scale = 1 / Math.sqrt(squares / width + epsilon);
                for (let i = 0; i < width; i++) y[r * width + i] = x[r * width + i] * scale * weight[i];
            }
            return y;
        },
    };
}

export function silu(count, constants = {}) {
    const x = noise(count, 6).map((v) => 10 * v);
    return {
        name: 'SiLU', size: `${count}`, tolerance: 1e-5, work: { count: 8 * count, unit: 'B/s' },
        desc: { wgsl: kernels.silu, inputs: [x], outputSize: count, sizes: null, groups: [ceil(count, constants.WIDE ?? 64)], constants },
        want: () => Float64Array.from(x, (v) => v / (1 + Math.exp(-v))),
    };
}

export function rope(tokens, heads, width, offset, constants = {}) {
    const x = noise(tokens * heads * width, 7), base = 10000, pairs = width / 2;
    return {
        name: 'RoPE', size: `${tokens} × ${heads} × ${width}, from ${offset}`, tolerance: 2e-3,
        work: { count: 8 * x.length, unit: 'B/s' },
        desc: { wgsl: kernels.rope, inputs: [x], outputSize: x.length, sizes: uniform(tokens, heads, width, offset, { f: base }),
                groups: [ceil(x.length / 2, constants.WIDE ?? 64)], constants },
        want() {
            const y = new Float64Array(x.length);
            for (let p = 0; p < x.length / 2; p++) {
                const angle = (offset + Math.floor(p / (pairs * heads))) * base ** (-2 * (p % pairs) / width);
                y[2 * p] = x[2 * p] * Math.cos(angle) - x[2 * p + 1] * Math.sin(angle);
                y[2 * p + 1] = x[2 * p] * Math.sin(angle) + x[2 * p + 1] * Math.cos(angle);
            }
            return y;
        },
    };
}

/** Small sizes, none of them a multiple of a workgroup where that could hide a mistake. */
export const tests = () => [
    matmul(37, 45, 29), matmul(64, 64, 64), matmul(1, 300, 128),
    matmul(37, 45, 29, { tiled: true }), matmul(64, 64, 64, { tiled: true }), matmul(65, 33, 17, { tiled: true }),
    rope(3, 4, 32, 0), rope(2, 4, 64, 100),
    softmax(5, 1000), softmax(3, 7), rmsnorm(4, 768), rmsnorm(2, 100), silu(1000),
];

export const benchmarks = () => [
    matmul(512, 512, 512), matmul(512, 512, 512, { tiled: true }), rope(128, 32, 64, 0),
    softmax(128, 4096), rmsnorm(512, 2048), silu(1 << 20),
];

/** One case for each workgroup size of a kernel. */
export const sizes = [32, 64, 128, 256];
export const sized = {
    matmul: (wide) => matmul(256, 256, 256, { constants: { X: 16, Y: wide / 16 } }),
    RoPE: (wide) => rope(128, 32, 64, 0, { WIDE: wide }),
    softmax: (wide) => softmax(64, 4096, { WIDE: wide }),
    RMSNorm: (wide) => rmsnorm(256, 2048, { WIDE: wide }),
    SiLU: (wide) => silu(1 << 19, { WIDE: wide }),
};
