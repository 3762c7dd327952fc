// SPDX-License-Identifier: Apache-2.0
// metrics.js - reads the text format of Prometheus, and percentiles out of histograms.

/** Map from 'name{label="x"}' to a number. */
export function parse(text) {
    const found = new Map();
    for (const line of text.split('\n')) {
        if (!line || line[0] === '#') continue;
        const space = line.lastIndexOf(' ');
        found.set(line.slice(0, space), Number(line.slice(space + 1)));
    }
    return found;
}

/** [[upper bound, count up to it], ...] of a histogram, in the order of the text. */
export function buckets(metrics, name) {
    const start = `${name}_bucket{le="`, list = [];
    for (const [key, value] of metrics)
        if (key.startsWith(start)) list.push([Number(key.slice(start.length, -2).replace('+Inf', 'Infinity')), value]);
    return list;
}

/**
 * The value below which the share `p` of the observations between two readings lies, by linear
 * interpolation inside its bucket; null if there were none.
 */
export function percentile(now, before, name, p) {
    const old = new Map(before ? buckets(before, name) : []);
    const list = buckets(now, name).map(([bound, count]) => [bound, count - (old.get(bound) ?? 0)]);
    const total = list.length ? list[list.length - 1][1] : 0;
    if (total <= 0) return null;
    let low = 0, below = 0;
    for (const [bound, count] of list) {
        if (count >= p * total) {
            if (bound === Infinity) return low;
            return low + (bound - low) * (count > below ? (p * total - below) / (count - below) : 0);
        }
        low = bound;
        below = count;
    }
    return low;
}

/** The difference of a counter between two readings, 0 after a restart of the server. */
export function increase(now, before, key) {
    if (!before) return 0;
    return Math.max(0, (now.get(key) ?? 0) - (before.get(key) ?? 0));
}
