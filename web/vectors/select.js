// SPDX-License-Identifier: Apache-2.0
// select.js - which points the user means: the one under the pointer, those inside a lasso.

import { STRIDE } from './points.js';

/** Where a slot is on the canvas, in its pixels: [x, y, depth]; null behind the camera. */
export function project(points, slot, matrix, width, height) {
    const at = slot * STRIDE, m = matrix, x = points.data[at], y = points.data[at + 1], z = points.data[at + 2];
    const w = m[3] * x + m[7] * y + m[11] * z + m[15];
    if (w <= 0.01) return null;
    return [((m[0] * x + m[4] * y + m[8] * z + m[12]) / w * 0.5 + 0.5) * width,
            (0.5 - (m[1] * x + m[5] * y + m[9] * z + m[13]) / w * 0.5) * height, w];
}

/** The slot nearest to a place on the canvas, within `reach` pixels, the front one if several; -1. */
export function pick(points, matrix, width, height, x, y, reach = 10) {
    let best = -1, score = Infinity;
    for (let slot = 0; slot < points.count; slot++) {
        const at = project(points, slot, matrix, width, height);
        if (!at) continue;
        const distance = Math.hypot(at[0] - x, at[1] - y);
        if (distance <= reach && distance + at[2] < score) { best = slot; score = distance + at[2]; }
    }
    return best;
}

function inside(polygon, x, y) {
    let odd = false;
    for (let i = 0, j = polygon.length - 1; i < polygon.length; j = i++) {
        const [xi, yi] = polygon[i], [xj, yj] = polygon[j];
        if (yi > y !== yj > y && x < (xj - xi) * (y - yi) / (yj - yi) + xi) odd = !odd;
    }
    return odd;
}

/** The slots inside a polygon of canvas places. */
export function lasso(points, matrix, width, height, polygon) {
    const found = new Set();
    for (let slot = 0; slot < points.count && polygon.length > 2; slot++) {
        const at = project(points, slot, matrix, width, height);
        if (at && inside(polygon, at[0], at[1])) found.add(slot);
    }
    return found;
}
