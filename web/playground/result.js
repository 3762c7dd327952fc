// SPDX-License-Identifier: Apache-2.0
// result.js - numbers as a table, a picture or a plot.

import { colour, el, fit } from '../lib/dom.js';
import { digits } from '../lib/format.js';

const MAX_ROWS = 500;                   // of a table; the rest is counted
const SHORT = 7;                        // characters: so many fit eight times into a row
const LARGEST = 32;                     // pixels for one number of a picture

/** The least and the greatest of the finite numbers; null if there are none. */
function extent(numbers) {
    let low = Infinity, high = -Infinity;
    for (const x of numbers) {
        if (!Number.isFinite(x)) continue;
        if (x < low) low = x;
        if (x > high) high = x;
    }
    return low <= high ? [low, high] : null;
}

/** The same as the ends of an axis. */
export function bounds(numbers) {
    const [low, high] = extent(numbers) ?? [0, 0];
    return low < high ? [low, high] : [low - 1, high + 1];
}

/** What a column of the plot shows: one number, or a bar from least to greatest; nothing finite: a gap. */
export function column(part) {
    const [low, high] = extent(part) ?? [];
    return low === undefined ? [] : low === high ? [low] : [low, high];
}

/** A number of a kernel with the fewest digits, six at least, that no other f32 has. */
export function exact(value) {
    if (!Number.isFinite(value) || Number.isInteger(value) && Math.abs(value) < 2 ** 32) return String(value);
    const written = [6, 7, 8].map((count) => Number(value.toPrecision(count)));
    return String(written.find((each) => Math.fround(each) === value) ?? Number(value.toPrecision(9)));
}

export function table(box, numbers, width) {
    const wide = numbers.subarray(0, 8 * MAX_ROWS).some((value) => exact(value).length > SHORT);
    const columns = Math.min(width > 1 ? width : wide ? 4 : 8, 32);
    const rows = Math.ceil(numbers.length / (width > 1 ? width : columns)), body = el('tbody');
    const stride = width > 1 ? width : columns;
    for (let r = 0; r < Math.min(rows, MAX_ROWS); r++) {
        const row = el('tr', {}, el('th', { scope: 'row' }, `[${r * stride}]`));
        for (let c = 0; c < columns && r * stride + c < numbers.length; c++)
            row.append(el('td', { class: 'number mono' }, exact(numbers[r * stride + c])));
        body.append(row);
    }
    const rest = rows > MAX_ROWS || stride > columns
        ? el('p', { class: 'small soft' }, `${numbers.length} numbers; the first of them are shown`) : null;
    box.replaceChildren(...[el('table', {}, body), rest].filter(Boolean));
}

/** Grey from the smallest to the largest number, or the colours of packed RGBA (u32). */
export function picture(box, numbers, width, packed) {
    const w = Math.max(1, width || Math.round(Math.sqrt(numbers.length)));
    const h = Math.max(1, Math.ceil(numbers.length / w));
    const canvas = el('canvas', { width: w, height: h, role: 'img', 'aria-label': `Picture of ${w} by ${h} numbers` });
    const context = canvas.getContext('2d'), image = context.createImageData(w, h);
    const pixels = new Uint32Array(image.data.buffer), [low, high] = bounds(numbers);
    for (let i = 0; i < numbers.length && i < pixels.length; i++) {
        const grey = Math.max(0, Math.min(255, Math.round((numbers[i] - low) / (high - low) * 255)));
        pixels[i] = packed ? numbers[i] | 0xff000000 : 0xff000000 | grey << 16 | grey << 8 | grey;
    }
    context.putImageData(image, 0, 0);
    const scale = Math.max(1, Math.min(LARGEST, Math.floor(480 / w)));
    canvas.style.width = `${w * scale}px`;
    box.replaceChildren(canvas);
}

/** A line through all numbers; many in one column of pixels become a bar from least to most. */
export function plot(box, numbers) {
    const canvas = el('canvas', { class: 'plot', role: 'img', 'aria-label': `Plot of ${numbers.length} numbers` });
    const odd = numbers.reduce((count, x) => count + !Number.isFinite(x), 0);
    box.replaceChildren(canvas, odd ? el('p', { class: 'small soft' }, `${odd} of ${numbers.length} numbers are not finite: they are gaps.`) : '');
    fit(canvas);
    const context = canvas.getContext('2d'), { width, height } = canvas, [low, high] = bounds(numbers);
    const scale = Math.min(window.devicePixelRatio || 1, 2), left = 56 * scale, bottom = height - 20 * scale;
    const y = (value) => 6 * scale + (high - value) / (high - low) * (bottom - 6 * scale);
    context.font = `${11 * scale}px ${getComputedStyle(document.body).fontFamily}`;
    context.fillStyle = colour('ink-soft');
    context.strokeStyle = colour('line');
    for (const value of [low, (low + high) / 2, high]) {
        context.beginPath();
        context.moveTo(left, y(value));
        context.lineTo(width, y(value));
        context.stroke();
        context.textAlign = 'right';
        context.fillText(digits(value), left - 6 * scale, y(value) + 4 * scale);
    }
    context.textAlign = 'left';
    context.fillText('0', left, height - 4 * scale);
    context.textAlign = 'right';
    context.fillText(String(numbers.length - 1), width, height - 4 * scale);
    context.strokeStyle = colour('series-1');
    context.lineWidth = 1.5 * scale;
    context.beginPath();
    const columns = Math.min(numbers.length, Math.floor(width - left));
    let drawing = false;                // the line goes on; false after a gap
    for (let c = 0; c < columns; c++) {
        const from = Math.floor(c * numbers.length / columns), to = Math.max(from + 1, Math.floor((c + 1) * numbers.length / columns));
        const x = left + (columns > 1 ? c / (columns - 1) : 0.5) * (width - left - scale);
        const values = column(numbers.subarray(from, to));
        if (values.length && !drawing) context.moveTo(x - (lonely(numbers, from, to) ? scale : 0), y(values[0]));
        for (const value of values) context.lineTo(x, y(value));
        drawing = values.length > 0;
    }
    context.stroke();
}

/** Whether numbers without finite ones on both sides: a line of some length shows them. */
function lonely(numbers, from, to) {
    return !Number.isFinite(numbers[from - 1]) && !Number.isFinite(numbers[to]);
}

/** The bytes of packed colours, as numbers. */
export function channels(colours) {
    return Float64Array.from(new Uint8Array(Uint32Array.from(colours).buffer));
}

/** How many numbers of two results differ, and by how much at most; NaN equals NaN. */
export function difference(a, b) {
    let count = Math.abs(a.length - b.length), most = 0;
    for (let i = 0; i < Math.min(a.length, b.length); i++) {
        if (Object.is(a[i], b[i]) || a[i] === b[i]) continue;
        const d = Math.abs(a[i] - b[i]);
        count++;
        most = Math.max(most, Number.isNaN(d) ? Infinity : d);
    }
    return { count, most };
}
