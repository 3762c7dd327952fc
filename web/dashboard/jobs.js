// SPDX-License-Identifier: Apache-2.0
// jobs.js - the list of jobs: the newest first, older ones fetched as the list is scrolled. Only
// the rows in view are in the document, and of the others only the newest are kept, so that
// thousands cost no more than some.

import { el } from '../lib/dom.js';
import { getJson } from '../lib/api.js';
import { duration, moment } from '../lib/format.js';

const ROW = 28;                         // pixels, as in dashboard.css
const PAGE = 200;                       // jobs a request
const MOST = 2000;                      // jobs kept, more only while the list is scrolled beyond them
const MARGIN = 8;                       // rows beyond those in view
const TONE = { done: 'good', failed: 'bad', cancelled: 'warn' };
const COLUMNS = ['job', 'state', 'created', 'waited', 'ran', 'in all'];

/** The time between two moments, which the server gives in whole ms. */
function between(from, to) {
    return to > from ? duration((to - from) / 1e3) : '< 1 ms';
}

function cells(job) {
    const { id, state, created, started, finished, timing } = job;
    return [id, el('span', { class: `pill ${TONE[state] ?? ''}` }, state), moment(created),
            started ? between(created, started) : '-',
            timing ? duration(timing.run_ms / 1e3) : '-',
            finished ? between(created, finished) : '-'];
}

function line(role, values, style) {
    return el('div', { class: `line ${role === 'cell' ? '' : 'head'}`, role: 'row', style },
        ...values.map((value, i) => el('div', { role, class: i > 2 ? 'number' : i === 0 ? 'mono' : '' }, value)));
}

export class JobList {
    constructor(box, onCount) {
        this.box = box;
        this.onCount = onCount;
        this.jobs = [];
        this.next = undefined;          // where the list continues; null: it is complete
        this.state = '';
        this.body = el('div', { class: 'body', role: 'rowgroup' });
        box.append(line('columnheader', COLUMNS), this.body);
        box.addEventListener('scroll', () => this.draw());
    }

    get complete() { return this.next === null; }

    async filter(state) {
        this.state = state;
        this.jobs = [];
        this.next = undefined;
        this.box.scrollTop = 0;
        await this.refresh();
    }

    address(after) {
        const query = new URLSearchParams({ limit: PAGE });
        if (this.state) query.set('state', this.state);
        if (after) query.set('after', after);
        return `/v1/jobs?${query}`;
    }

    /** Reads the newest jobs again, as their states change, and all new ones up to a known job. */
    async refresh() {
        const { state } = this, known = new Set(this.jobs.map(({ id }) => id)), fresh = [];
        let next;
        for (let page = 0; page < MOST / PAGE; page++) {
            const answer = await getJson(this.address(next));
            if (state !== this.state) return;
            fresh.push(...answer.jobs);
            next = answer.next ?? null;
            if (next === null || !known.size || answer.jobs.some(({ id }) => known.has(id))) break;
        }
        this.merge(fresh, next);
        this.draw();
    }

    /** Replaces the beginning of the list. Older jobs stay if the new beginning reaches them;
     *  otherwise the list continues at `next`, as the answers of the server say. */
    merge(fresh, next) {
        const ids = new Set(fresh.map(({ id }) => id)), met = this.jobs.findLastIndex(({ id }) => ids.has(id));
        const older = next === null || met < 0 ? [] : this.jobs.slice(met + 1);
        const sameEnd = met >= 0 && fresh.at(-1).id === this.jobs.at(-1).id;
        if (!older.length && !(sameEnd && this.complete)) this.next = next;
        this.jobs = [...fresh, ...older];
        const most = Math.max(MOST, this.inView()[1] + PAGE);
        if (this.jobs.length <= most) return;
        this.jobs.length = most;
        this.next = this.jobs[most - 1].id;
    }

    async more() {
        const { state, next } = this;
        if (this.loading || !next) return;
        this.loading = true;
        try {
            const answer = await getJson(this.address(next));
            if (state === this.state && next === this.next) this.append(answer);
        } catch {
            return;                     // the next scroll or refresh tries again
        } finally {
            this.loading = false;
        }
        this.draw();
    }

    /** The server begins again with the newest jobs after one that it has forgotten: with that
     *  one it has forgotten all older ones. */
    append({ jobs, next }) {
        const known = new Set(this.jobs.map(({ id }) => id)), forgotten = jobs.some(({ id }) => known.has(id));
        if (!forgotten) this.jobs.push(...jobs);
        this.next = forgotten ? null : next ?? null;
    }

    /** The first row to draw and the one after the last, which may be beyond the end. */
    inView() {
        const first = Math.max(0, Math.floor(this.box.scrollTop / ROW) - MARGIN);
        return [first, first + Math.ceil(this.box.clientHeight / ROW) + 2 * MARGIN];
    }

    draw() {
        const [first, end] = this.inView(), last = Math.min(this.jobs.length, end);
        this.body.style.height = `${this.jobs.length * ROW}px`;
        this.body.replaceChildren(...this.jobs.slice(first, last).map((job, i) =>
            line('cell', cells(job), `top: ${(first + i) * ROW}px`)));
        this.onCount(this.jobs.length, this.complete);
        if (last === this.jobs.length) this.more();
    }
}
