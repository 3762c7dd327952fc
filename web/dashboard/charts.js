// SPDX-License-Identifier: Apache-2.0
// charts.js - lines over time, drawn by uPlot (from npm, served locally). Without it the page
// says so and shows figures alone.

import { colour, el, text } from '../lib/dom.js';

const HEIGHT = 160;
const SECONDS = [1, 2, 5, 10, 30, 60, 120, 300, 600];       // between two marks of the time

function loadScript(source) {
    return new Promise((resolve) => {
        const script = el('script', { src: source });
        script.addEventListener('load', () => resolve(true));
        script.addEventListener('error', () => resolve(false));
        document.head.append(script);
    });
}

/** Loads uPlot; false if this server does not have it. */
export async function loadPlots() {
    const { UPLOT } = await import('../vendor/have.js');
    if (!UPLOT) return false;
    document.head.append(el('link', { rel: 'stylesheet', href: 'vendor/uplot.css' }));
    return loadScript('vendor/uplot.js');
}

/** The time of day of an axis mark. */
function clock(seconds) {
    return new Date(seconds * 1e3).toLocaleTimeString([], { hour12: false });
}

export class Chart {
    /**
     * @param {HTMLElement} box  @param {string} title  @param {[string, string][]} series: column
     * and its label  @param {(value: number) => string} show  @param {number} least: upper end of
     * the axis while all values are small
     */
    constructor(box, title, series, show, least) {
        this.series = series;
        this.show = show;
        this.least = least;
        this.values = series.map(() => el('span', { class: 'now' }, '–'));
        this.box = el('section', { class: 'card chart', 'aria-label': title }, el('h2', {}, title), el('div', { class: 'row key' },
            ...series.map(([, label], i) => el('span', { class: `series series-${i + 1}` }, label, ' ', this.values[i]))));
        this.none = el('p', { class: 'none small soft' }, 'Nothing in this time.');
        this.box.append(this.none);
        box.append(this.box);
        new ResizeObserver(() => this.plot?.setSize(this.sizeNow())).observe(this.box);
        document.addEventListener('weft-theme', () => this.build());
        matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => this.build());
        this.build();
    }

    sizeNow() {
        return { width: Math.max(200, this.box.clientWidth - 24), height: HEIGHT };
    }

    build() {
        const data = this.plot?.data;
        this.plot?.destroy();
        const axis = { stroke: colour('ink-soft'), grid: { stroke: colour('line'), width: 1 }, ticks: { show: false } };
        this.plot = new window.uPlot({
            ...this.sizeNow(),
            padding: [8, 30, 0, 0],
            cursor: { points: { show: false }, y: false },
            legend: { show: false },
            hooks: { setCursor: [() => this.name()] },
            axes: [{ ...axis, space: 80, size: 28, incrs: SECONDS, values: (_, ticks) => ticks.map(clock) }, { ...axis, size: 64, values: (_, ticks) => ticks.map((t) => t == null ? '' : this.show(t)) }],
            scales: { y: { range: (_, low, high) => [Math.min(0, low ?? 0), Math.max(high ?? 0, this.least) * 1.05] } },
            series: [{}, ...this.series.map(([, label], i) => ({ label, stroke: colour(`series-${i + 1}`), width: 1.5, points: { show: false } }))],
        }, data ?? [[], ...this.series.map(() => [])], this.box);
    }

    /** Beside each name: the value under the pointer, else the newest. */
    name() {
        const { data, cursor } = this.plot ?? { data: [[]], cursor: {} }, at = cursor.idx ?? data[0].length - 1;
        this.values.forEach((value, i) => text(value, data[i + 1]?.[at] == null ? '–' : this.show(data[i + 1][at])));
    }

    update(history) {
        const data = history.data(this.series.map(([column]) => column));
        this.plot.setData(data);
        this.none.hidden = data.slice(1).some((values) => values.filter((value) => value != null).length > 1);
        this.name();
    }
}
