// SPDX-License-Identifier: Apache-2.0
// main.js - the dashboard: reads metrics, states and jobs every second and shows what changed.

import { drawn, el, get, text } from '../lib/dom.js';
import { getJson, request } from '../lib/api.js';
import { bytes, digits, duration, moment, short } from '../lib/format.js';
import { Chart, loadPlots } from './charts.js';
import { History } from './history.js';
import { JobList } from './jobs.js';
import { increase, parse, percentile } from './metrics.js';

const INTERVAL = 1000;                  // ms between readings
const REFUSED = 30000;                  // ms until another try with a key that was refused
const KEPT = 900;                       // readings: a quarter of an hour
const TONE = { idle: 'good', processing: 'good', starting: 'warn', draining: 'warn', degraded: 'bad', stopped: 'bad', 'no answer': 'bad' };

/* column, label, how it is shown; each is a figure above the charts */
const FIGURES = [
    ['done', 'jobs/s', digits],
    ['queued', 'jobs waiting', short],
    ['running', 'jobs running', short],
    ['p50', 'answer time, p50', duration],
    ['p99', 'answer time, p99', duration],
    ['busy', 'workers busy', short],
    ['memory', 'server memory', bytes],
    ['live', 'live connections', short],
];

const CHARTS = [
    ['Throughput, jobs/s', [['done', 'done'], ['failed', 'failed'], ['rejected', 'refused']], digits, 1],
    ['Answer time', [['p50', 'p50'], ['p90', 'p90'], ['p99', 'p99']], duration, 1e-3],
    ['Time of jobs, p50', [['wait', 'waiting'], ['run', 'running'], ['overhead', 'around it']], duration, 1e-3],
    ['Jobs and workers', [['queued', 'waiting'], ['running', 'running'], ['busy', 'workers busy']], short, 4],
    ['Connections', [['http', 'HTTP'], ['live', 'live']], short, 4],
    ['Memory of the server', [['memory', 'resident']], bytes, 1e8],
];

const COLUMNS = [...new Set([...FIGURES.map(([name]) => name), ...CHARTS.flatMap(([, series]) => series.map(([name]) => name))])];
const history = new History(KEPT, COLUMNS);
const values = new Map();               // elements of the figures
let charts = [], before = null, beforeAt = 0;

function buildFigures() {
    get('figures').append(...FIGURES.map(([name, label]) => {
        const value = el('div', { class: 'value' }, '-');
        values.set(name, value);
        return el('div', { class: 'card figure' }, value, el('div', { class: 'small soft' }, label));
    }));
}

function sum(metrics, previous, name, labels) {
    return labels.reduce((all, label) => all + increase(metrics, previous, `${name}{${label}}`), 0);
}

/** One reading: rates per second since the last one, percentiles of what came between. */
function reading(now, seconds) {
    const rate = (name, ...labels) => before ? sum(now, before, name, labels) / seconds : null;
    const p = (name, share) => percentile(now, before, name, share);
    return {
        done: rate('weft_jobs_finished_total', 'outcome="done"'),
        failed: rate('weft_jobs_finished_total', 'outcome="failed"'),
        rejected: rate('weft_jobs_rejected_total', 'reason="quota"', 'reason="full"', 'reason="invalid"', 'reason="auth"', 'reason="origin"'),
        queued: now.get('weft_jobs_queued'), running: now.get('weft_jobs_running'),
        busy: now.get('weft_workers{state="busy"}'), memory: now.get('weft_memory_resident_bytes'),
        live: now.get('weft_live_connections'), http: now.get('weft_http_connections'),
        p50: p('weft_http_request_seconds', 0.5), p90: p('weft_http_request_seconds', 0.9), p99: p('weft_http_request_seconds', 0.99),
        wait: p('weft_job_queue_seconds', 0.5), run: p('weft_job_run_seconds', 0.5), overhead: p('weft_job_overhead_seconds', 0.5),
    };
}

async function readMetrics() {
    const now = parse(await (await request('/metrics')).text()), at = performance.now();
    const values_ = reading(now, (at - beforeAt) / 1e3);
    history.push(Date.now() / 1e3, values_);
    for (const [name, , show] of FIGURES) text(values.get(name), values_[name] == null ? '-' : show(values_[name]));
    for (const chart of charts) chart.update(history);
    before = now;
    beforeAt = at;
}

function fillTable(id, heads, rows, none) {
    if (!rows.length) { get(id).replaceChildren(el('tbody', {}, el('tr', {}, el('td', { class: 'soft' }, none)))); return; }
    const numeric = (value) => typeof value === 'string' && /^[\d.-]/.test(value) ? 'number' : '';
    get(id).replaceChildren(
        el('thead', {}, el('tr', {}, ...heads.map((head, i) => el('th', { scope: 'col', class: i ? numeric(rows[0][i]) : '' }, head)))),
        el('tbody', {}, ...rows.map((row) => el('tr', {}, ...row.map((value, i) => el('td', { class: i ? numeric(value) : '' }, value))))));
}

function showState(state) {
    text(get('state'), state);
    get('state').className = `pill ${TONE[state] ?? ''}`;
}

async function readState() {
    const [{ state }, { devices }, { alerts }] = await Promise.all([
        getJson('/v1/state'), getJson('/v1/devices'), getJson('/v1/alerts')]);
    showState(state);
    fillTable('devices', ['device', 'profile', 'free', 'busy', 'bandwidth', 'operations/s'], devices.map((d) =>
        [d.name, d.profile, String(d.ready), String(d.busy), `${bytes(d.bandwidth_bytes_per_second)}/s`, short(d.operations_per_second)]),
        'no device');
    fillTable('alerts', ['alert', 'since', 'times', 'detail'], alerts.map((a) =>
        [el('span', { class: `pill ${a.active ? 'bad' : ''}` }, a.name), moment(a.since), String(a.count), a.detail]),
        'none');
}

async function readTenants() {
    try {
        const { tenants } = await getJson('/v1/tenants');
        fillTable('tenants', ['name', 'jobs', 'memory', 'stored', 'connections', 'time this minute'], tenants.map((t) =>
            [t.name, String(t.jobs), bytes(t.memory), bytes(t.stored), String(t.connections), duration(t.seconds)]), 'none yet');
    } catch (error) {
        if (error.status !== 403) throw error;
        fillTable('tenants', [], [], 'only for keys with the scope admin');
    }
}

const jobs = new JobList(get('jobs'), (count, complete) =>
    text(get('job-count'), `${count}${complete ? '' : ' or more'}`));

async function tick() {
    let wait = INTERVAL;
    try {
        await Promise.all([readMetrics(), readState(), readTenants(), jobs.refresh()]);
        text(get('trouble'), '');
    } catch (error) {
        text(get('trouble'), error.message);
        if (error.kind === 'network') showState('no answer');
        if (error.status === 401) wait = REFUSED;
    }
    setTimeout(tick, wait * (document.hidden ? 5 : 1));
}

async function start() {
    buildFigures();
    await drawn();
    get('filter').addEventListener('change', () => jobs.filter(get('filter').value));
    if (await loadPlots()) charts = CHARTS.map((chart) => new Chart(get('charts'), ...chart));
    else get('charts').append(el('p', { class: 'soft' }, 'This server was built without uPlot: there are no charts.'));
    tick();
}

start();
