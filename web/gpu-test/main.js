// SPDX-License-Identifier: Apache-2.0
// main.js - the GPU test page: finds WebGPU, runs tests and benchmarks, shows and saves them.

import { download, el, get, svg, text } from './lib/dom.js';
import { bytes, digits, duration, short } from './lib/format.js';
import { benchmarks, sized, sizes, tests } from './cases.js';
import { Dispatch, open } from './device.js';

const BENCH_MS = 300;                   // of repeated runs for each figure
const LIMITS = {                        // as people read them
    maxBufferSize: ['largest buffer', bytes], maxStorageBufferBindingSize: ['largest binding', bytes],
    maxComputeWorkgroupStorageSize: ['workgroup memory', bytes], maxComputeInvocationsPerWorkgroup: ['workgroup size', String],
    maxComputeWorkgroupsPerDimension: ['workgroups in a row', String],
};
const report = { page: 'weft gpu-test', device: null, tests: [], benchmarks: [], workgroup_sizes: [] };
let device = null;

// ---- the device ----

function status(kind, message) {
    get('gpu-status').className = `pill ${kind}`;
    text(get('gpu-status'), message);
}

/** Opens the device; again after it was lost. */
async function openDevice() {
    const opened = await open();
    device = opened.device;
    report.device = { ...opened.info, browser: navigator.userAgent };
    device.lost.then(({ message }) => { device = null; status('bad', `WebGPU: the device was lost. ${message}`); });
    status('good', `WebGPU: ready${opened.info.fallback ? ' (software)' : ''}`);
    showDevice(opened.info);
}

function showDevice(info) {
    const rows = [['vendor', info.vendor || '-'], ['architecture', info.architecture || '-'],
                  ['device', info.description || info.device || '-'], ['software', info.fallback ? 'yes' : 'no'],
                  ...Object.entries(info.limits).map(([name, value]) => [LIMITS[name][0], LIMITS[name][1](value)]),
                  ['features', info.features.join(', ') || 'none'], ['browser', navigator.userAgent]];
    get('device').replaceChildren(...rows.map(([name, value]) =>
        el('tr', {}, el('th', { scope: 'row' }, name), el('td', { class: value.length > 60 ? 'small' : '' }, value))));
}

// ---- tests ----

function compare(got, want, tolerance) {
    let error = got.length === want.length ? 0 : Infinity, passed = error === 0;
    for (let i = 0; passed && i < want.length; i++) {
        const difference = Math.abs(got[i] - want[i]);
        if (!(difference <= tolerance * Math.max(1, Math.abs(want[i])))) passed = false;
        error = Math.max(error, Number.isNaN(difference) ? Infinity : difference);
    }
    return { passed, error };
}

async function test(one) {
    const row = { kernel: one.name, size: one.size };
    try {
        const dispatch = await Dispatch.create(device, one.desc);
        await dispatch.run();
        Object.assign(row, compare(await dispatch.read(), one.want(), one.tolerance));
        dispatch.destroy();
    } catch (error) {
        Object.assign(row, { passed: false, error: NaN, message: error.message });
    }
    return row;
}

function showTest(row) {
    get('tests').append(el('tr', {}, el('td', {}, row.kernel), el('td', {}, row.size),
        el('td', {}, el('span', { class: `pill ${row.passed ? 'good' : 'bad'}`, title: row.message ?? null }, row.passed ? 'pass' : 'fail')),
        el('td', { class: 'number' }, Number.isNaN(row.error) ? row.message : digits(row.error))));
}

async function runTests() {
    report.tests = [];
    get('tests').replaceChildren();
    await busy(tests(), async (one) => {
        const row = await test(one);
        report.tests.push(row);
        showTest(row);
    });
    const passed = report.tests.filter((row) => row.passed).length;
    text(get('summary'), `${passed} of ${report.tests.length} passed`);
    get('summary').className = `pill ${passed === report.tests.length ? 'good' : 'bad'}`;
}

// ---- benchmarks ----

/** The median time of a dispatch, in seconds. */
async function measure(one) {
    const dispatch = await Dispatch.create(device, one.desc);
    const first = await dispatch.run();
    const times = Math.max(1, Math.min(50, Math.floor(0.02 / Math.max(first, 1e-5))));
    const found = [];
    for (const end = performance.now() + BENCH_MS; performance.now() < end || found.length < 3;)
        found.push(await dispatch.run(times));
    dispatch.destroy();
    return found.sort((a, b) => a - b)[found.length >> 1];
}

async function benchmark(one) {
    const seconds = await measure(one), rate = one.work.count / seconds;
    report.benchmarks.push({ kernel: one.name, size: one.size, seconds, rate, unit: one.work.unit });
    get('speeds').append(el('tr', {}, el('td', {}, one.name), el('td', {}, one.size),
        el('td', { class: 'number' }, duration(seconds)), el('td', { class: 'number' }, `${short(rate)}${one.work.unit}`)));
}

/** Bars, one for each workgroup size; the shortest has another colour. */
function chart(name, rows) {
    const most = Math.max(...rows.map((row) => row.seconds)), best = Math.min(...rows.map((row) => row.seconds));
    const picture = svg('svg', { viewBox: '0 0 260 120', role: 'img', 'aria-label':
        `${name}: ${rows.map((row) => `${row.size} invocations ${duration(row.seconds)}`).join(', ')}` });
    picture.append(svg('text', { x: 0, y: 12 }, name));
    rows.forEach((row, i) => {
        const y = 24 + i * 24, length = Math.max(2, row.seconds / most * 150);
        picture.append(svg('text', { x: 26, y: y + 13, 'text-anchor': 'end', class: 'soft' }, row.size),
            svg('rect', { x: 32, y, width: length, height: 18, rx: 3, class: `bar-fill${row.seconds === best ? ' best' : ''}` }),
            svg('text', { x: 38 + length, y: y + 13 }, duration(row.seconds)));
    });
    get('sizes').append(picture);
}

async function runBenchmarks() {
    report.benchmarks = [];
    report.workgroup_sizes = [];
    get('speeds').replaceChildren();
    get('sizes').replaceChildren();
    const works = [...benchmarks().map((one) => () => benchmark(one)), ...Object.entries(sized).map(([name, make]) => async () => {
        const rows = [];
        for (const size of sizes) rows.push({ size, seconds: await measure(make(size)) });
        report.workgroup_sizes.push({ kernel: name, rows });
        chart(name, rows);
    })];
    await busy(works, (work) => work());
}

// ---- the page ----

/** Does `work` for each item, with a progress bar and without other buttons. */
async function busy(items, work) {
    const buttons = ['run-tests', 'run-bench', 'export'].map(get), progress = get('progress');
    for (const button of buttons) button.disabled = true;
    progress.hidden = false;
    try {
        if (!device) await openDevice();
        for (const [i, item] of items.entries()) {
            progress.value = i / items.length;
            await work(item);
        }
    } catch (error) {
        status('bad', error.message);
    }
    progress.hidden = true;
    for (const button of buttons) button.disabled = false;
}

async function start() {
    if (location.pathname.startsWith('/gpu-test')) {     // served by weft, not as plain files
        await import('./lib/header.js');
        get('header').append(el('weft-header', { page: 'gpu-test' }));
    }
    get('run-tests').addEventListener('click', runTests);
    get('run-bench').addEventListener('click', runBenchmarks);
    get('export').addEventListener('click', () =>
        download('weft-gpu-test.json', 'application/json', JSON.stringify({ ...report, time: new Date().toISOString() }, null, 2)));
    try {
        await openDevice();
    } catch (error) {
        status('bad', error.message);
        return;
    }
    await runTests();
}

start();
