// SPDX-License-Identifier: Apache-2.0
// format.js - numbers as people read them.

const STEPS = [[1e12, 'T'], [1e9, 'G'], [1e6, 'M'], [1e3, 'k']];

/** 1234567 as "1.23 M". */
export function short(value) {
    if (!Number.isFinite(value)) return '-';
    for (const [size, letter] of STEPS)
        if (Math.abs(value) >= size) return `${digits(value / size)} ${letter}`;
    return digits(value);
}

/** Three significant digits, without an exponent where that stays readable. */
export function digits(value) {
    if (value === 0 || Number.isInteger(value) && Math.abs(value) < 1e6) return String(value);
    const size = Math.abs(value);
    if (size >= 1e7 || size < 1e-4) return value.toExponential(2);
    return String(Number(value.toPrecision(size >= 1000 ? 4 : 3)));
}

/** Seconds as "12.3 ms". */
export function duration(seconds) {
    if (!Number.isFinite(seconds)) return '-';
    if (seconds === 0) return '0 s';
    if (seconds < 1e-3) return `${digits(seconds * 1e6)} µs`;
    if (seconds < 1) return `${digits(seconds * 1e3)} ms`;
    if (seconds < 120) return `${digits(seconds)} s`;
    return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
}

/** Bytes as "1.5 MB" (powers of ten). */
export function bytes(value) {
    return Number.isFinite(value) ? `${short(value)}B`.replace(/^(-?[\d.e+]+)B$/, '$1 B') : '-';
}

/** Milliseconds since 1970 as the time of day, with the date unless it is today. */
export function moment(ms) {
    const at = new Date(ms), today = new Date();
    const time = at.toLocaleTimeString([], { hour12: false });
    return at.toDateString() === today.toDateString() ? time : `${at.toLocaleDateString()} ${time}`;
}

/** The beginning of a text that is longer than `most` characters, with an ellipsis. */
export function shortened(text, most) {
    const letters = text.length > most ? Array.from(text) : [];      // whole characters, not halves of them
    return letters.length > most ? `${letters.slice(0, most - 1).join('')}…` : text;
}
