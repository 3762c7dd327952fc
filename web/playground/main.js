// SPDX-License-Identifier: Apache-2.0
// main.js - the playground: checks the kernel as it is written, runs it on the server and in the
// browser, and shows what comes out.

import { debounce, el, get, text } from '../lib/dom.js';
import { postJson } from '../lib/api.js';
import { digits, duration } from '../lib/format.js';
import { Editor } from './editor.js';
import { EXAMPLES, load } from './examples.js';
import { layout, pack, unpack } from './layout.js';
import { parse } from './values.js';
import { decode, encode } from './link.js';
import { runInBrowser } from './run_browser.js';
import { runOnServer } from './run_server.js';
import { channels, difference, picture, plot, table } from './result.js';

const CHECK_DELAY = 350;
const PLACES = { server: runOnServer, browser: runInBrowser };
const NAMES = { server: 'server', browser: 'browser' };

const state = {
    data: {},                           // what the user wrote, by binding
    entries: [],                        // entry points of the last check that was accepted
    entry: null,                        // the one to be run
    wanted: '',                         // its name, if several can be run
    results: {},                        // by place
    view: 'table',
    checks: 0,                          // the newest check; answers to older ones are dropped
};

const editor = new Editor(get('editor'), debounce(CHECK_DELAY, check));

// ---- checking ----

function verdict(kind, message) {
    get('verdict').className = `pill ${kind}`;
    text(get('verdict'), message);
}

function showDiagnostics(list) {
    editor.mark(list);
    get('diagnostics').replaceChildren(...list.map(({ severity, line, column, length, message, id }) =>
        el('li', {}, el('button', { type: 'button', onclick: () => editor.select(line, column, length) },
            el('span', { class: severity === 'error' ? 'bad' : 'warn' }, `${line}:${column} ${severity}: `),
            message, ' ', el('span', { class: 'soft small' }, id ?? '')))));
}

/** One row for each binding of the entry point; what the user wrote stays. */
function showBindings(entry) {
    get('bindings').replaceChildren(...entry.bindings.flatMap(({ name, type, kind, access }) => {
        const shape = layout(editor.source, type);
        const input = el('input', { id: `data-${name}`, value: state.data[name] ?? '', spellcheck: 'false' });
        input.addEventListener('input', () => { state.data[name] = input.value; });
        const inside = shape?.names ? `${type} { ${shape.names.join(', ')} }` : type;
        return [el('label', { for: input.id, class: 'mono' }, name), input,
                el('div', { class: 'kind small soft mono' }, `${kind === 'uniform' ? kind : access} ${inside}`)];
    }));
}

/** The entry point that is wanted, if the kernel has it, else the first. */
function showEntry() {
    state.entry = state.entries.find(({ name }) => name === state.wanted) ?? state.entries[0] ?? null;
    get('entry-field').hidden = state.entries.length < 2;
    get('entry').replaceChildren(...state.entries.map(({ name }) => el('option', { selected: name === state.entry.name }, name)));
    if (!state.entry) return;
    verdict('good', `${state.entry.name}: accepted`);
    showBindings(state.entry);
}

async function check() {
    const mine = ++state.checks;
    verdict('', 'checking');
    try {
        const { report } = await postJson('/v1/check', { wgsl: editor.source });
        if (mine !== state.checks) return;
        showDiagnostics(report.diagnostics);
        state.entries = report.verdict === 'accepted' ? report.entry_points ?? [] : [];
        showEntry();
        if (!state.entry) {
            const errors = report.diagnostics.filter(({ severity }) => severity === 'error').length;
            verdict('bad', errors ? `${errors} error${errors > 1 ? 's' : ''}` : 'no compute entry point');
        }
    } catch (error) {
        if (mine === state.checks) verdict('bad', error.message);
    }
}

// ---- running ----

function readWorkgroups() {
    const written = get('workgroups').value.trim();
    if (written === '' || written === 'auto') return null;
    const counts = written.split(/[\s,x]+/).map(Number);
    if (counts.length > 3 || counts.some((n) => !Number.isInteger(n) || n < 1 || n > 65535))
        throw new Error(`workgroups: '${written}' is not one to three numbers up to 65535, or auto`);
    return [...counts, 1, 1].slice(0, 3);
}

function readConstants() {
    const constants = {};
    for (const part of get('constants').value.split(',').map((p) => p.trim()).filter(Boolean)) {
        const [name, value] = part.split('=').map((p) => p.trim());
        const number = value === 'true' ? 1 : value === 'false' ? 0 : Number(value || NaN);
        if (!name || Number.isNaN(number)) throw new Error(`overrides: '${part}' is not name=value`);
        constants[name] = number;
    }
    return constants;
}

function prepareBinding({ name, type, kind, access, group, binding }) {
    const shape = layout(editor.source, type);
    if (!shape) throw new Error(`${name}: the playground does not know the type ${type}`);
    const written = state.data[name] ?? '';
    const reads = access !== 'write', writes = /write/.test(access);
    if (!written && shape.count === null)
        throw new Error(`${name}: write its elements, or size:N for an array that is only written`);
    let numbers;
    try {
        numbers = written ? parse(written) : new Float64Array(0);
    } catch (error) {
        throw new Error(`${name}: ${error.message}`);
    }
    const bytes = pack(shape, numbers);
    return { name, group, binding, shape, bytes, reads, writes, uniform: kind === 'uniform',
             elements: Math.floor(bytes.length / shape.stride) };
}

/** Everything that a run needs. Throws a sentence. */
function prepare() {
    if (!state.entry) throw new Error('the kernel has errors');
    const { name, workgroup_size: workgroupSize, bindings } = state.entry;
    return { wgsl: editor.source, entry: name, workgroupSize, workgroups: readWorkgroups(),
             constants: readConstants(), bindings: bindings.map(prepareBinding) };
}

function showTimes() {
    get('timing').hidden = !Object.keys(state.results).length;
    get('times').replaceChildren(...Object.keys(PLACES).filter((place) => state.results[place]).map((place) => {
        const { seconds, error } = state.results[place];
        const head = el('th', { scope: 'row' }, NAMES[place]);
        return error ? el('tr', {}, head, el('td', { colspan: 3, class: 'bad', style: 'white-space: normal' }, error))
            : el('tr', {}, head, ...['compile', 'run', 'total'].map((part) =>
                el('td', { class: 'number' }, duration(seconds[part]))));
    }));
}

function showAgreement() {
    const { server, browser } = state.results;
    if (!server?.outputs || !browser?.outputs) { text(get('agreement'), ''); return; }
    let count = 0, most = 0, all = 0;
    for (const [name, numbers] of server.numbers) {
        const other = browser.numbers.get(name), colours = isColour(name, numbers) && isColour(name, other);
        const found = colours ? difference(channels(numbers), channels(other)) : difference(numbers, other);
        count += found.count;
        most = Math.max(most, found.most);
        all += numbers.length * (colours ? 4 : 1);
    }
    const ratio = browser.seconds.run / server.seconds.run;
    text(get('agreement'), `${count === 0 ? 'Equal results' : `${count} of ${all} numbers differ, by at most ${digits(most)}`}. `
        + `The ${ratio > 1 ? 'server' : 'browser'} ran it ${digits(Math.max(ratio, 1 / ratio))} times as fast.`);
}

async function runAt(place, job) {
    try {
        const result = await PLACES[place](job);
        const shapes = new Map(job.bindings.map(({ name, shape }) => [name, shape]));
        result.numbers = new Map([...result.outputs].map(([name, bytes]) => [name, unpack(shapes.get(name), bytes)]));
        state.results[place] = result;
    } catch (error) {
        state.results[place] = { error: error.message };
    }
}

async function run(places) {
    const buttons = ['run-both', 'run-server', 'run-browser'].map(get);
    for (const button of buttons) button.disabled = true;
    try {
        if (!state.entry) await check();
        const job = prepare();
        for (const place of places) {
            await runAt(place, job);
            job.workgroups ??= state.results[place].workgroups ?? null;
            showTimes();
        }
        showOutputs(job);
        showAgreement();
    } catch (error) {
        verdict('bad', error.message);
    }
    for (const button of buttons) button.disabled = false;
}

// ---- results ----

function showOutputs(job) {
    const names = job.bindings.filter(({ writes }) => writes).map(({ name }) => name);
    const before = get('output').value;
    get('output').replaceChildren(...names.map((name) => el('option', {}, name)));
    if (names.includes(before)) get('output').value = before;
    for (const id of ['output-field', 'views']) get(id).hidden = !names.length;
    state.shapes = new Map(job.bindings.map(({ name, shape }) => [name, shape]));
    showView();
}

function showView() {
    for (const tab of get('views').children) tab.setAttribute('aria-selected', String(tab.dataset.view === state.view));
    get('width-field').hidden = state.view === 'plot' || get('views').hidden;
    const name = get('output').value;
    const result = [state.results.server, state.results.browser].find((r) => r?.numbers?.has(name));
    if (!result) { showNothing(); return; }
    const numbers = result.numbers.get(name), width = Number(get('width').value) || 0;
    if (state.view === 'plot') plot(get('view'), numbers);
    else if (state.view === 'picture') picture(get('view'), numbers, width, isColour(name, numbers));
    else table(get('view'), numbers, width);
}

function showNothing() {
    const ran = Object.values(state.results);
    get('view').replaceChildren(el('p', { class: 'empty' }, ran.length ? 'There is no result: see what is said under Time.'
        : 'Run the kernel to see its result. Ctrl+Enter runs it on the server and in this browser.'));
}

/** Whether u32 values look like packed colours: they use the alpha byte. */
function isColour(name, numbers) {
    return state.shapes.get(name).slots[0].scalar === 'u32' && numbers.length > 0
        && numbers.every((x) => x >= 0xff000000);
}

// ---- state of the page ----

function apply({ wgsl, data = {}, entry = '', workgroups = 'auto', constants = '', view = 'table', width = '' }) {
    editor.source = wgsl;
    state.wanted = entry;
    state.data = { ...data };
    state.results = {};
    state.view = view;
    get('workgroups').value = workgroups;
    get('constants').value = constants;
    get('width').value = width;
    for (const id of ['output-field', 'views', 'width-field']) get(id).hidden = true;
    showNothing();
    showTimes();
    text(get('agreement'), '');
    return check();
}

async function choose(index) {
    const example = EXAMPLES[index];
    try {
        await apply({ ...example, wgsl: await load(example) });
        history.replaceState(null, '', `#example=${example.file}`);
    } catch (error) {
        verdict('bad', error.message);
    }
}

async function share() {
    let fragment;
    try {
        fragment = await encode({
            wgsl: editor.source, data: state.data, entry: state.wanted, workgroups: get('workgroups').value,
            constants: get('constants').value, view: state.view, width: get('width').value,
        });
    } catch (error) {
        verdict('bad', error.message);
        return;
    }
    history.replaceState(null, '', `#code=${fragment}`);
    try {
        await navigator.clipboard.writeText(location.href);
        text(get('share'), 'Copied');
    } catch {
        text(get('share'), 'The address bar has it');
    }
    setTimeout(() => text(get('share'), 'Copy a link'), 2000);
}

async function start() {
    get('example').append(...EXAMPLES.map(({ title }, i) => el('option', { value: i }, title)));
    get('example').addEventListener('change', () => choose(get('example').value));
    get('run-both').addEventListener('click', () => run(['server', 'browser']));
    get('run-server').addEventListener('click', () => run(['server']));
    get('run-browser').addEventListener('click', () => run(['browser']));
    get('share').addEventListener('click', share);
    get('entry').addEventListener('change', () => { state.wanted = get('entry').value; showEntry(); });
    get('output').addEventListener('change', showView);
    get('width').addEventListener('input', showView);
    get('views').addEventListener('click', (event) => {
        if (event.target.dataset.view) { state.view = event.target.dataset.view; showView(); }
    });
    document.addEventListener('weft-theme', showView);
    document.addEventListener('keydown', (event) => {
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) run(['server', 'browser']);
    });
    const shared = location.hash.startsWith('#code=') ? await decode(location.hash.slice(6)) : null;
    if (shared) return apply(shared);
    if (location.hash.startsWith('#code=')) {
        await choose(0);
        verdict('bad', 'This link is damaged: here is an example.');
        return undefined;
    }
    const named = EXAMPLES.findIndex(({ file }) => location.hash === `#example=${file}`);
    get('example').value = Math.max(0, named);
    return choose(Math.max(0, named));
}

start();
