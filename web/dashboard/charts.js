// SPDX-License-Identifier: Apache-2.0
// charts.js - lines over time, drawn by uPlot (from npm, served locally). Without it the page
// says so and shows figures alone.

import { colour, el } from '../lib/dom.js';

const HEIGHT = 170;

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
        this.box = el('section', { class: 'card chart', 'aria-label': title }, el('h2', {}, title));
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
            cursor: { points: { show: false } },
            axes: [{ ...axis, space: 80, size: 28, values: (_, ticks) => ticks.map(clock) }, { ...axis, size: 64, values: (_, ticks) => ticks.map((t) => t == null ? '' : this.show(t)) }],
            scales: { y: { range: (_, low, high) => [Math.min(0, low ?? 0), Math.max(high ?? 0, this.least) * 1.05] } },
            series: [{}, ...this.series.map(([, label], i) => ({
                label, stroke: colour(`series-${i + 1}`), width: 1.5, points: { show: false },
                value: (_, x) => x == null ? '-' : this.show(x),
            }))],
        }, data ?? [[], ...this.series.map(() => [])], this.box);
    }

    update(history) {
        this.plot.setData(history.data(this.series.map(([column]) => column)));
    }
}
