// SPDX-License-Identifier: Apache-2.0
// main.js - the vectors page: connects the live client, the processor, the cloud and the map.

import { drawn, el, get, text } from '../lib/dom.js';
import { getJson, key, request } from '../lib/api.js';
import { digits } from '../lib/format.js';
import { GPUWebSocketClient } from './client.js';
import { PROTOCOL } from './frame.js';
import { drawRamp, MapView } from './map.js';
import { AXES, pause, Placement } from './placement.js';
import { Points } from './points.js';
import { WebGPUVectorProcessor } from './processor.js';
import { chooseRenderer } from './renderer.js';
import { Rows } from './rows.js';
import { Scene } from './scene.js';

const PLACED_AT_ONCE = 2048;            // points
const FIRST_VECTORS = 10000;            // asked for after connecting
const WEIGHTS_EVERY = 4000;             // ms between two readings of the map's weights
const NEIGHBOURS = 10;
const LISTED = 200;                     // of chosen points
const KEEP_VIEW_AFTER = 1000;           // ms without a movement
const CHANNELS = ['vector_updates', 'som', 'state'];  // results of jobs are not vectors of this page
const TELL_FIRST = 5000, TELL_EVERY = 60000;        // ms: what this page's device does, for the server's log
const LIMITS = ['maxBufferSize', 'maxStorageBufferBindingSize', 'maxComputeInvocationsPerWorkgroup', 'maxComputeWorkgroupStorageSize'];
const NOTHING_CHOSEN = 'Click a point, or find a label.';
const NO_VECTORS = 'No vectors yet. They appear here as they arrive, by POST /v1/vectors or over a WebSocket.';
const MAP_VALUES = { umatrix: 'distance to neighbours', hits: 'vectors, root scale', plane: 'weight' };
const STATUS = { connecting: ['Connecting…', ''], connected: ['Connected', 'good'], disconnected: ['Disconnected', 'bad'] };

const points = new Points();
const processor = new WebGPUVectorProcessor();
const client = new GPUWebSocketClient(processor);
client.channels = CHANNELS;
const map = new MapView(get('som-visualization'));
const scene = new Scene(points, get('overlay'), { picked: choose, chosen: chooseInside, moved: () => keepView() });
let rows = null;                        // of the points
let picture = null;                     // the last som_update
let scale = 1;                          // of coordinates to the cloud
let weightsAt = -Infinity, weightsTimer = 0, placing = false, outdated = false, viewTimer = 0;
let notDrawn = '';                      // why there is no cloud
let answered = false;                   // the server has said what it has
let asked = 0;                          // questions for neighbours: only the last is answered

function trouble(message) { text(get('trouble'), message ?? ''); }

/* ---- WebGPU and what draws ---- */

/** `times`: of a software device beside the page itself, in ms. */
function sayReady(times) {
    text(get('gpu-status'), `WebGPU: Ready (${processor.adapterName}${processor.isFallback ? ', software' : ''})${processor.slower ? '; the CPU computes' : ''}`);
    get('gpu-status').title = times ? `vectors are placed in ${digits(times.device)} ms by this device, in ${digits(times.page)} ms by the CPU` : '';
}

async function initialise() {
    try {
        if (!processor.device) await processor.initialize({ canvas: null });
        sayReady();
    } catch (error) {
        text(get('gpu-status'), !/not supported/.test(error.message) ? `WebGPU: Error - ${error.message}`
            : `WebGPU: Not supported${window.isSecureContext ? '' : ' without https'}; the CPU computes`);
    }
    const wanted = new URLSearchParams(location.search).get('renderer');
    try {
        const chosen = await chooseRenderer(get('gpu-canvas'), processor, wanted);
        scene.attach(chosen);
        text(get('renderer'), `Drawn with ${chosen.reason}.`);
        document.body.dataset.renderer = chosen.kind;
        notDrawn = '';
        showEmpty();
    } catch (error) {
        text(get('renderer'), '');
        notDrawn = `${error.message}.`;
        showEmpty();
    }
}

processor.onlost = async (why) => {
    text(get('gpu-status'), `WebGPU: Lost (${why}); starting again`);
    await initialise();
    if (processor.device) trouble('');
};

processor.onchosen = sayReady;

/* ---- vectors ---- */

/** Nothing is known of any vector: they were deleted, or the server may have others now. */
function forget() {
    points.clear();
    rows = picture = null;
    processor.placement = null;
    client.forget();
    clearTimeout(weightsTimer);
    weightsAt = -Infinity;
    map.clear();
    text(get('vector-count'), 'Vectors: 0');
    showEmpty();
    showLegend();
    text(get('map-quality'), 'No map yet.');
    chooseNone(NOTHING_CHOSEN);
}

/** What stands in the place of the cloud while there is none. */
function showEmpty() {
    const words = notDrawn || points.count ? notDrawn : client.connected ? answered ? NO_VECTORS : 'Asking for vectors…'
        : 'No connection to the server yet; the page tries again by itself.';
    text(get('empty'), words);
    get('empty').hidden = !words;
}

/** Another dimension means other vectors: everything starts again. */
function expect(dimension) {
    if (rows?.dimension === dimension) return;
    rows = new Rows(dimension);
    points.limit = Math.min(200000, rows.limit);
    points.clear();
    processor.placement = new Placement(dimension);
}

/** Coordinates are scaled so that most of the cloud lies within a unit sphere. */
function rescale(results, columns) {
    let sum = 0, count = results.length / columns;
    for (let at = 0; at < results.length; at += columns)
        for (let i = 0; i < AXES; i++) sum += results[at + i] ** 2;
    if (sum > 0) scale = 1 / (1.6 * Math.sqrt(sum / count));
}

function addBatch({ data, dimension, count, ids, labels, results, placement }) {
    expect(dimension);
    const { columns } = placement;
    if (!points.count) rescale(results, columns);
    for (let row = 0; row < count; row++) {
        const at = row * columns, length = Math.hypot(...data.subarray(row * dimension, (row + 1) * dimension));
        const slot = points.add(ids?.[row] ?? points.seen, labels?.[row], results[at] * scale, results[at + 1] * scale,
            results[at + 2] * scale, length, placement.nearest(results, row));
        rows.set(slot, data, row);
    }
    text(get('vector-count'), `Vectors: ${points.seen}`);
    showEmpty();
    if (placement.version !== processor.placement.version) placeAgain();
}

/** Places all points again, after the projection or the map has moved; once more if they moved meanwhile. */
async function placeAgain() {
    outdated = true;
    if (placing) return;
    placing = true;
    try {
        while (outdated && points.count) {
            outdated = false;
            await moveAll(rows);
        }
    } finally {
        placing = false;
    }
}

/** Gives all points their new places, part by part, so that the page answers meanwhile. */
async function moveAll(vectors) {
    for (let first = 0; first < points.count && rows === vectors; first += PLACED_AT_ONCE) {
        const count = Math.min(PLACED_AT_ONCE, points.count - first);
        const { results, placement } = await processor.place(vectors.part(first, count), vectors.dimension);
        if (rows !== vectors) return;
        if (!first) rescale(results, placement.columns);
        for (let row = 0; row < count; row++) {
            const at = row * placement.columns;
            points.move(first + row, results[at] * scale, results[at + 1] * scale, results[at + 2] * scale, placement.nearest(results, row));
        }
        await pause();
    }
}

/* ---- the map ---- */

function showMap() {
    if (!picture?.width) return;
    const view = get('map-view').value;
    get('component').hidden = view !== 'plane';
    if (view === 'plane') { showPlane(); return; }
    showUnits(picture[view] ?? null);
}

function showUnits(values) {
    map.show({ width: picture.width, height: picture.height, hexagonal: picture.grid === 'hexagonal', values, root: get('map-view').value === 'hits' });
    showLegend();
}

/** The smallest and the largest value of the map, and what they are. */
function showLegend() {
    const { range } = map;
    get('legend').hidden = !range;
    if (!range) return;
    text(get('legend-low'), digits(range[0]));
    text(get('legend-high'), digits(range[1]));
    text(get('legend-what'), MAP_VALUES[get('map-view').value] ?? '');
    drawRamp(get('legend-ramp'));
}

/** One component of the weights, as they were read last. */
function showPlane() {
    const component = Math.max(0, Math.min(picture.dimension - 1, Number(get('component').value) || 0));
    get('component').max = picture.dimension - 1;
    if (!picture.weights) { readWeights(); return; }
    const values = Float32Array.from({ length: picture.width * picture.height }, (_, unit) => picture.weights[unit * picture.dimension + component]);
    showUnits(values);
}

async function readWeights() {
    weightsAt = performance.now();
    try {
        const weights = Float32Array.from((await getJson('/v1/vectors/map?weights=true')).values);
        if (!picture || weights.length !== picture.width * picture.height * picture.dimension) return;
        picture.weights = weights;
        processor.placementFor(picture.dimension).setUnits(weights);
        await placeAgain();
        if (!picture) return;
        if (points.mapSize.join() !== `${picture.width},${picture.height}`) {
            points.mapSize = [picture.width, picture.height];
            points.recolour();
        }
        if (get('map-view').value === 'plane') showMap();
    } catch (error) {
        if (error.status !== 404) trouble(error.message);
    }
}

async function takePicture(message) {
    const { weights } = picture ?? {};
    picture = { ...message, weights: picture?.dimension === message.dimension ? weights : undefined };
    const { quality, projection, dimension, count } = message;
    if (quality) text(get('map-quality'), `${message.width} x ${message.height} units; quantisation error ${digits(quality.quantisation_error)}, `
        + `topographic error ${digits(quality.topographic_error)}; ${count} ${count === 1 ? 'vector' : 'vectors'} indexed; `
        + `the cloud shows ${Math.round(100 * (projection?.share ?? []).reduce((a, b) => a + b, 0))}\u00a0% of the variance.`);
    expect(dimension);
    processor.placementFor(dimension).normalised = message.normalised;
    if (projection?.axes?.length === AXES) processor.placementFor(dimension).setProjection({
        axes: Float32Array.from(projection.axes.flat()), mean: Float32Array.from(projection.mean) });
    showMap();
    clearTimeout(weightsTimer);
    const wait = weightsAt + WEIGHTS_EVERY - performance.now();
    if (wait <= 0) { await readWeights(); return; }
    weightsTimer = setTimeout(readWeights, wait);
    await placeAgain();
}

/* ---- what the user chooses ---- */

function named(slot) { return points.labels[slot] || `vector ${points.ids[slot]}`; }

function entry(slot, score) {
    return el('li', {}, el('div', {}, el('button', { type: 'button', onclick: () => choose(slot) }, named(slot)),
        score == null ? null : el('span', {}, digits(score))));
}

async function choose(slot) {
    if (slot < 0 || slot >= points.count) return;
    const question = ++asked;
    scene.mark([slot]);
    map.choose(points.unit[slot]);
    text(get('chosen-title'), named(slot));
    const near = el('div', { class: 'soft' }, 'Looking for its neighbours…');
    get('chosen').replaceChildren(el('p', {}, `Id ${points.ids[slot]}, ${points.unit[slot] < 0 ? '' : `map unit ${points.unit[slot]}, `}length ${digits(points.magnitude[slot])}.`), near);
    try {
        const { results } = await getJson(`/v1/vectors/search?id=${points.ids[slot]}&count=${NEIGHBOURS + 1}`);
        if (question !== asked) return;
        const known = results.map(({ id, score }) => ({ slot: points.slotOf.get(id), score })).filter((r) => r.slot !== undefined && r.slot !== slot);
        near.replaceWith(el('h3', {}, picture?.normalised ? 'Neighbours, by their cosine' : 'Neighbours'),
            known.length ? el('ol', {}, ...known.map((r) => entry(r.slot, r.score))) : el('p', { class: 'soft' }, 'None of the points shown.'));
        scene.mark([slot, ...known.map((r) => r.slot)]);
    } catch (error) {
        if (question === asked) near.replaceWith(el('p', { class: 'bad' }, error.message));
    }
}

function chooseNone(why) {
    asked++;
    scene.mark([]);
    text(get('chosen-title'), 'Point');
    get('chosen').replaceChildren(why);
}

function chooseMany(slots, title = slots.size === 1 ? '1 point' : slots.size ? `${slots.size} points` : 'Point') {
    asked++;
    points.choose(slots.size ? slots : null);
    scene.mark(slots.size <= NEIGHBOURS ? [...slots] : []);
    text(get('chosen-title'), title);
    get('chosen').replaceChildren(slots.size ? el('ol', {}, ...[...slots].slice(0, LISTED).map((slot) => entry(slot))) : NOTHING_CHOSEN,
        slots.size > LISTED ? `and ${slots.size - LISTED} more` : '');
    scene.redraw();
}

/** The points inside a lasso. */
function chooseInside(slots) {
    map.choose(-1);
    chooseMany(slots);
}

/** The points of a unit of the map; -1: all points are as before. */
function chooseUnit(unit) {
    map.choose(unit);
    const members = new Set();
    for (let slot = 0; slot < points.count; slot++) if (unit >= 0 && points.unit[slot] === unit) members.add(slot);
    chooseMany(members, unit < 0 ? 'Point' : `Unit ${unit}: ${members.size === 1 ? '1 point' : `${members.size} points`}`);
    if (unit >= 0 && !members.size) get('chosen').replaceChildren('No point is nearest to this unit.');
}

function find() {
    const found = points.find(get('find').value);
    get('found').replaceChildren(...found.slice(0, 20).map((slot) => el('option', { value: points.labels[slot] })));
    if (found.length && points.lower[found[0]] === get('find').value.trim().toLowerCase()) choose(found[0]);
    return found;
}

/* ---- for the server's log ---- */

function tellMetrics() {
    const { device, limits, slower, times } = processor;
    client.send({ type: 'client_metrics', adapter: device ? processor.adapterName : 'none',
        limits: Object.fromEntries(LIMITS.map((name) => [name, limits?.[name] ?? 0])), buffer_bytes: processor.bytes,
        ...(times && !slower ? { compute_ms: times.compute, readback_ms: times.readBack } : {}), frame_ms: scene.frameTime });
    setTimeout(tellMetrics, TELL_EVERY);
}

/* ---- the picture that returns ---- */

function keepView() {
    clearTimeout(viewTimer);
    viewTimer = setTimeout(() => request('/v1/vectors/view', { method: 'PUT', headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ camera: scene.camera.save(), colouring: points.colouring, map: get('map-view').value, component: Number(get('component').value) || 0 }) }).catch(() => {}),
        KEEP_VIEW_AFTER);
}

async function restoreView() {
    try {
        const { view } = await getJson('/v1/vectors?limit=0');
        scene.camera.restore(view.camera);
        for (const [id, value] of [['colouring', view.colouring], ['map-view', view.map]])
            if ([...get(id).options].some((option) => option.value === value)) get(id).value = value;
        if (Number.isInteger(view.component)) get('component').value = view.component;
    } catch { /* there is none yet */ }
    points.recolour(get('colouring').value);
}

/* ---- start ---- */

function liveUrl() {
    return `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/ws`;
}

function connect() {
    client.connect(liveUrl(), key.get() ? [PROTOCOL, `weft.token.${key.get()}`] : [PROTOCOL]);
}

client.addEventListener('status', ({ detail }) => {
    const [words, tone] = STATUS[detail];
    text(get('connection-status'), words);
    get('connection-status').className = `pill ${tone}`;
    answered = false;
    showEmpty();
    if (detail !== 'connected') return;
    trouble('');
    if (!points.count) client.requestVectors(FIRST_VECTORS);
});
client.addEventListener('placed', ({ detail }) => addBatch(detail));
client.addEventListener('none', () => {
    answered = true;
    showEmpty();
});
client.addEventListener('lost', () => {
    forget();
    client.requestVectors(FIRST_VECTORS);
});
client.addEventListener('trouble', ({ detail }) => trouble(detail));
client.addEventListener('message', ({ detail }) => {
    if (detail.type === 'som_update') takePicture(detail);
    else if (detail.type === 'vectors_cleared') {
        answered = true;
        forget();
    }
    else if (detail.type === 'error') trouble(detail.reason);
});

function listen() {
    get('initialize').addEventListener('click', initialise);
    get('connect').addEventListener('click', connect);
    get('request').addEventListener('click', () => {
        if (!client.requestVectors(FIRST_VECTORS)) trouble('Not connected: press Connect.');
    });
    get('colouring').addEventListener('change', () => { points.recolour(get('colouring').value); keepView(); });
    get('map-view').addEventListener('change', () => { showMap(); keepView(); });
    get('component').addEventListener('input', () => { showMap(); keepView(); });
    get('point-size').addEventListener('input', () => { scene.size = Number(get('point-size').value); scene.redraw(); });
    get('reset-view').addEventListener('click', () => { scene.camera.reset(); scene.settle(); });
    get('lasso').addEventListener('click', () => {
        scene.setChoosing(!scene.choosing);
        get('lasso').setAttribute('aria-pressed', scene.choosing);
        if (!scene.choosing) chooseInside(new Set());
    });
    get('find').addEventListener('input', find);
    get('find').addEventListener('keydown', (event) => {
        if (event.key !== 'Enter') return;
        const [best] = find();
        if (best !== undefined) choose(best);
        else if (get('find').value) chooseNone(`No label of the points shown contains '${get('find').value.trim()}'.`);
    });
    map.canvas.addEventListener('click', (event) => { if (map.width) chooseUnit(map.unitAt(event.offsetX, event.offsetY)); });
    map.canvas.addEventListener('keydown', (event) => {
        const next = map.step(event.key);
        if (next === null) return;
        event.preventDefault();
        chooseUnit(next);
    });
    document.addEventListener('weft-theme', showMap);
    new ResizeObserver(showMap).observe(map.canvas);
}

async function start() {
    listen();
    await drawn();
    await initialise();
    await restoreView();
    connect();
    setTimeout(tellMetrics, TELL_FIRST);
}

start();
