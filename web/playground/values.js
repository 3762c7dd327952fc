// SPDX-License-Identifier: Apache-2.0
// values.js - data as people write it: "1, 2.5", "0..9", "ones:64x64", "random:100:7:-1:1".
// The same forms as `weft run` takes on the command line.

const MAX_COUNT = 1 << 24;

/** "64x64" is 4096. */
function count(text) {
    if (!/^\d+(x\d+)*$/.test(text)) throw new Error(`'${text}' is not a number of elements`);
    const n = text.split('x').reduce((product, part) => product * Number(part), 1);
    if (n > MAX_COUNT) throw new Error(`${text}: more than ${MAX_COUNT} elements`);
    return n;
}

/** The same numbers for the same seed, from `low` up to `high`. */
export function random(n, seed = 1, low = 0, high = 1) {
    let state = (Number(seed) * 2654435761 + 0x9e3779b9) >>> 0;
    return Float64Array.from({ length: n }, () => {
        state = state + 0x6d2b79f5 >>> 0;
        let x = Math.imul(state ^ state >>> 15, state | 1);
        x ^= x + Math.imul(x ^ x >>> 7, x | 61);
        return low + (high - low) * ((x ^ x >>> 14) >>> 0) / 2 ** 32;
    });
}

function number(text) {
    const value = Number(text.replace(/(?<=[\d.])[uifh]$/, ''));
    if (text === '' || Number.isNaN(value) && !/^nan$/i.test(text)) throw new Error(`'${text}' is not a number`);
    return value;
}

function range(from, to) {
    if (Math.abs(to - from) >= MAX_COUNT) throw new Error(`${from}..${to}: more than ${MAX_COUNT} elements`);
    const step = from <= to ? 1 : -1;
    return Float64Array.from({ length: Math.abs(to - from) + 1 }, (_, i) => from + i * step);
}

const FORMS = {
    zeros: (n) => new Float64Array(count(n)),
    size: (n) => new Float64Array(count(n)),
    ones: (n) => new Float64Array(count(n)).fill(1),
    random: (n, seed, low, high) => random(count(n), seed === undefined ? 1 : number(seed),
        low === undefined ? 0 : number(low), high === undefined ? 1 : number(high)),
};

/** The numbers that a text means. Throws a sentence. */
export function parse(source) {
    const text = source.trim();
    const form = /^([a-z]+):(.+)$/.exec(text);
    if (form) {
        if (!FORMS[form[1]]) throw new Error(`unknown form '${form[1]}:': expected ${Object.keys(FORMS).map((f) => `${f}:`).join(', ')}`);
        return FORMS[form[1]](...form[2].split(':'));
    }
    const parts = text.split(/[\s,]+/).filter(Boolean).map((word) => {
        const ends = /^(-?[\d.]+?)\.\.(-?[\d.]+)$/.exec(word);
        return ends ? range(number(ends[1]), number(ends[2])) : [number(word)];
    });
    return Float64Array.from(parts.flatMap((part) => Array.from(part)));
}
