// SPDX-License-Identifier: Apache-2.0
// The parts of the vectors page that need no document: camera, points, selection.
import assert from 'node:assert';
import { test } from 'node:test';
import { Camera } from '../../web/vectors/camera.js';
import { readBatch, readFrame } from '../../web/vectors/frame.js';
import { multiply, multiplyInParts, Placement } from '../../web/vectors/placement.js';
import { WebGPUVectorProcessor } from '../../web/vectors/processor.js';
import { Products } from '../../web/vectors/products.js';
import { Points, ramp, STRIDE, unitColour } from '../../web/vectors/points.js';
import { GPUWebSocketClient } from '../../web/vectors/client.js';
import { lasso, pick, project } from '../../web/vectors/select.js';
import { VertexBufferManager } from '../../web/vectors/vertex.js';

const near = (a, b) => assert.ok(Math.abs(a - b) < 1e-4, `${a} is not ${b}`);

test('the camera looks at its target', () => {
    const camera = new Camera(), points = new Points();
    camera.orbit(0.7, 0.2);
    camera.target = [0.3, -0.2, 0.1];
    points.add(1, 'target', 0.3, -0.2, 0.1, 1, 0);
    const [x, y, depth] = project(points, 0, camera.matrix(2), 800, 400);
    near(x, 400);
    near(y, 200);
    near(depth, camera.distance);
});

test('up is up, and nearer is larger', () => {
    const camera = new Camera(), points = new Points();
    camera.turn = camera.tilt = 0;
    points.add(1, '', 0, 0.5, 0, 1, 0);
    const [, far] = project(points, 0, camera.matrix(1), 100, 100);
    assert.ok(far < 50);
    camera.zoom(0.5);
    assert.ok(project(points, 0, camera.matrix(1), 100, 100)[1] < far);
});

test('panning moves what is seen along with the pointer', () => {
    const camera = new Camera(), points = new Points();
    camera.pan(0.25, 0);
    points.add(1, '', 0, 0, 0, 1, 0);
    near(project(points, 0, camera.matrix(1), 100, 100)[0], 75);
});

test('a narrow view shows as much from left to right as a square one', () => {
    const camera = new Camera(), points = new Points();
    camera.turn = camera.tilt = 0;
    points.add(1, '', 0.5, 0, 0, 1, 0);
    const share = (width, height) => project(points, 0, camera.matrix(width / height), width, height)[0] / width;
    near(share(100, 200), share(100, 100));
    assert.ok(share(200, 100) < share(100, 100));
    camera.matrix(0.5);
    camera.pan(0.25, 0);                    // a quarter of the height is half of the width
    near(share(100, 200), share(100, 100));
    points.move(0, 0, 0, 0, 0);
    points.glide(1);
    near(share(100, 200), 1);
});

test('a saved camera comes back, a malformed one does no harm', () => {
    const camera = new Camera(), other = new Camera();
    camera.orbit(1, 0.1);
    camera.zoom(2);
    other.restore(JSON.parse(JSON.stringify(camera.save())));
    assert.deepEqual(other.save(), camera.save());
    for (const bad of [null, 7, { turn: 'x' }, { target: [1, NaN, 2] }, { distance: Infinity }]) other.restore(bad);
    assert.deepEqual(other.save(), camera.save());
    other.restore({ distance: 0, tilt: 9 });
    assert.ok(other.distance > 0 && other.tilt < Math.PI / 2);
});

test('points grow, move by id, and the oldest leave', () => {
    const points = new Points(5000);
    for (let i = 0; i < 6000; i++) points.add(i, `p${i}`, i, 0, 0, i, 0);
    assert.equal(points.count, 5000);
    assert.equal(points.seen, 6000);
    assert.equal(points.slotOf.size, 5000);
    assert.equal(points.slotOf.get(999), undefined);
    const slot = points.slotOf.get(5999);
    assert.equal(points.data[slot * STRIDE], 5999);
    points.add(5999, 'moved', 1, 2, 3, 1, 4);
    assert.equal(points.seen, 6000);
    assert.deepEqual([...points.data.subarray(slot * STRIDE, slot * STRIDE + 3)], [1, 2, 3]);
    assert.equal(points.labels[slot], 'moved');
});

test('labels are found, the shortest first', () => {
    const points = new Points();
    ['catalogue', 'dog', 'Cat', 'concatenate'].forEach((label, i) => points.add(i, label, 0, 0, 0, 1, 0));
    assert.deepEqual(points.find(' cat ').map((slot) => points.labels[slot]), ['Cat', 'catalogue', 'concatenate']);
    assert.deepEqual(points.find(''), []);
    for (let i = 0; i < 100; i++) points.add(100 + i, `category ${i}`, 0, 0, 0, 1, 0);
    points.add(300, 'CAT', 0, 0, 0, 1, 0);
    assert.deepEqual(points.find('cat', 3).map((slot) => points.labels[slot]), ['Cat', 'CAT', 'catalogue']);
});

test('chosen points stand out until others are chosen, whatever arrives', () => {
    const points = new Points(), red = (slot) => points.data[slot * STRIDE + 3];
    for (let i = 0; i < 3; i++) points.add(i, 'same', 0, 0, 0, 1, 0);
    points.recolour('label');
    const plain = red(0);
    points.choose(new Set([1]));
    points.add(7, 'same', 0, 0, 0, 1, 0);
    points.move(2, 0, 0, 0, 5);
    assert.equal(red(1), plain);
    for (const slot of [0, 2, 3]) assert.notEqual(red(slot), plain);
    points.choose(null);
    assert.deepEqual([0, 1, 2, 3].map(red), [plain, plain, plain, plain]);
});

test('neighbours on the map have similar colours, its corners have not', () => {
    const apart = (a, b) => Math.hypot(...[0, 1, 2].map((c) => unitColour(a, 10, 8)[c] - unitColour(b, 10, 8)[c]));
    for (let unit = 0; unit < 70; unit++) {
        assert.ok(apart(unit, unit + 10) < 0.2);
        if (unit % 10 < 9) assert.ok(apart(unit, unit + 1) < 0.2);
    }
    const corners = [0, 9, 70, 79];
    for (const a of corners) for (const b of corners) assert.ok(a === b || apart(a, b) > 0.5);
    assert.ok(unitColour(0, 1, 1).every((c) => c >= 0 && c <= 1));
});

test('colours', () => {
    const points = new Points();
    points.add(1, 'a', 0, 0, 0, 1, 0);
    points.add(2, 'a', 0, 0, 0, 2, 9);
    const colour = (slot) => [...points.data.subarray(slot * STRIDE + 3, slot * STRIDE + 6)];
    points.recolour('label');
    assert.deepEqual(colour(0), colour(1));
    points.mapSize = [5, 2];
    points.recolour('unit');
    assert.notDeepEqual(colour(0), colour(1));
    points.recolour('magnitude');
    assert.deepEqual(colour(1), [...Float32Array.from(ramp(1))]);
    for (const t of [-1, 0, 0.3, 1, 2, NaN]) assert.ok(ramp(t).every((c) => c >= 0 && c <= 1));
});

test('picking takes the front point, a lasso those inside', () => {
    const camera = new Camera(), points = new Points();
    camera.turn = camera.tilt = 0;
    points.add(1, 'back', 0, 0, -0.5, 1, 0);
    points.add(2, 'front', 0, 0, 0.5, 1, 0);
    points.add(3, 'right', 0.8, 0, 0, 1, 0);
    const matrix = camera.matrix(1), [x, y] = project(points, 2, matrix, 200, 200);
    assert.equal(points.labels[pick(points, matrix, 200, 200, 100, 100)], 'front');
    assert.equal(points.labels[pick(points, matrix, 200, 200, x + 4, y)], 'right');
    assert.equal(pick(points, matrix, 200, 200, 5, 5), -1);
    assert.deepEqual([...lasso(points, matrix, 200, 200, [[80, 80], [120, 80], [120, 120], [80, 120]])], [0, 1]);
    assert.equal(lasso(points, matrix, 200, 200, [[0, 0], [1, 1]]).size, 0);
});

test('one product gives coordinates and the nearest unit', () => {
    const placement = new Placement(2);
    assert.deepEqual([...multiply(placement.extend(Float32Array.of(5, 7)), placement.matrix, placement.inner)], [5, 7, 0]);
    placement.setProjection({ axes: Float32Array.of(1, 0, 0, 1, 1, 1), mean: Float32Array.of(1, 2), scale: 2 });
    placement.setUnits(Float32Array.of(0, 0, 4, 6, -3, 1));
    const results = multiply(placement.extend(Float32Array.of(5, 7, 0, 1)), placement.matrix, placement.inner);
    assert.deepEqual([...results.subarray(0, 3)], [8, 10, 18]);
    assert.equal(placement.nearest(results, 0), 1);
    assert.equal(placement.nearest(results, 1), 0);
    near(results[4] + 5 * 5 + 7 * 7, 2);                    // |x - w|^2
    assert.throws(() => placement.setProjection({ axes: new Float32Array(3), mean: new Float32Array(2) }), /another dimension/);
    assert.throws(() => placement.setUnits(new Float32Array(3)), /another dimension/);
});

test('points glide to new places and arrive', () => {
    const points = new Points();
    points.add(1, '', 0, 0, 0, 1, -1);
    points.move(0, 1, 0, 0, 3);
    points.glide(0.5);
    near(points.data[0], 0.5);
    for (let i = 0; i < 20; i++) points.glide(0.5);
    assert.equal(points.data[0], 1);
    assert.equal(points.moving, false);
    assert.equal(points.unit[0], 3);
});

test('binary messages: ids, numbers, labels; damaged ones are refused', () => {
    const labels = new TextEncoder().encode('["a","b"]'), bytes = new ArrayBuffer(32 + 16 + 16 + labels.length), view = new DataView(bytes);
    view.setBigUint64(0, 9n, true);
    [2, 2, 1, 3].forEach((value, i) => view.setUint32(16 + 4 * i, value, true));
    [5n, 3n].forEach((id, i) => view.setBigUint64(32 + 8 * i, id, true));
    [1, 2, 3, 4].forEach((value, i) => view.setFloat32(48 + 4 * i, value, true));
    new Uint8Array(bytes).set(labels, 64);
    const { seq, ids, labels: names, dimension, count, data } = readFrame(bytes);
    assert.deepEqual([seq, ids, names, dimension, count, [...data]], [9, [5, 3], ['a', 'b'], 2, 2, [1, 2, 3, 4]]);
    assert.throws(() => readFrame(bytes.slice(0, 50)), /shorter than its head says/);
    assert.throws(() => readFrame(bytes.slice(0, 20)), /shorter than its head/);
    view.setUint32(24, 9, true);
    assert.throws(() => readFrame(bytes), /unknown type/);
    assert.deepEqual(readBatch({ vectors: [[1, 2], [3], [4, 5]], ids: [7, 8, 9] }).ids, [7, 9]);
});

/** A client whose socket only remembers what it is given, and what it placed. */
function silentClient() {
    const processor = new WebGPUVectorProcessor(), client = new GPUWebSocketClient(processor), heard = { said: [], placed: [], passes: 0, lost: 0 };
    globalThis.WebSocket ??= { OPEN: 1 };
    client.ws = { readyState: WebSocket.OPEN, send: (text) => heard.said.push(JSON.parse(text)) };
    client.addEventListener('placed', ({ detail }) => heard.placed.push(detail));
    client.addEventListener('lost', () => heard.lost++);
    const place = processor.place.bind(processor);
    processor.place = (...values) => { heard.passes++; return place(...values); };
    return { client, heard };
}

test('batches that wait are placed in one pass, each with its own results', async () => {
    const { client, heard } = silentClient();
    const batch = (seq, ...vectors) => ({ type: 'vector_batch', seq, vectors, ids: vectors.map((_, i) => 10 * seq + i) });
    const all = [client.handleMessage(batch(1, [1, 2, 3])), client.handleMessage(batch(2, [4, 5, 6], [7, 8, 9])),
        client.handleMessage(batch(3, [0, 1, 0])), client.handleMessage(batch(4, [1, 2]))];
    await Promise.all(all);
    assert.equal(heard.passes, 3);                      // the first alone, two that waited, another dimension
    assert.deepEqual(heard.placed.map(({ ids, results }) => [ids, [...results]]),
        [[[10], [1, 2, 3]], [[20, 21], [4, 5, 6, 7, 8, 9]], [[30], [0, 1, 0]], [[40], [1, 2, 0]]]);
});

test('what was missed is asked for, and a server that began again is noticed', async () => {
    const { client, heard } = silentClient();
    await client.handleMessage({ type: 'subscribed', stream: 'a', seq: 5 });
    await client.handleMessage({ type: 'vector_batch', seq: 6, vectors: [[1, 2, 3]] });
    await client.handleMessage({ type: 'vector_batch', seq: 2, vectors: [[1, 2, 3]] });     // an older one, asked for
    await client.handleMessage({ type: 'missed', channels: { vector_updates: 3 }, seq: 10 });
    assert.deepEqual(heard.said, [{ type: 'request_vectors', limit: 10000, since: 6 }]);
    await client.handleMessage({ type: 'missed', channels: { metrics: 3 }, seq: 10 });
    assert.equal(heard.said.length, 1);
    await client.handleMessage({ type: 'subscribed', stream: 'b', seq: 1, resumed: false });
    assert.deepEqual([heard.lost, client.seq], [1, null]);
});

test('batches that are being placed when everything is forgotten do not come', async () => {
    const { client, heard } = silentClient();
    const coming = client.handleMessage({ type: 'vector_batch', seq: 1, vectors: [[1, 2, 3]] });
    client.forget();
    await coming;
    assert.deepEqual(heard.placed, []);
});

/** A processor with a software device that takes a second of a clock for each pass. */
function slowDevice(clock) {
    const processor = new WebGPUVectorProcessor();
    processor.device = { lost: new Promise(() => {}) };
    processor.isFallback = true;
    processor.passes = 0;
    processor.placePart = async ({ matrix, inner }, rows) => {
        processor.passes++;
        clock.now += 1000;
        return multiply(rows, matrix, inner);
    };
    return processor;
}

test('a software device that is slower than the page is left, but not for little work', async (t) => {
    const clock = { now: 0 };
    t.mock.method(performance, 'now', () => clock.now);
    const small = Float32Array.of(1, 2, 3, 4), large = Float32Array.from({ length: 512 * 200 }, (_, i) => Math.sin(i));
    const processor = slowDevice(clock), { results: wanted } = await new WebGPUVectorProcessor().place(large, 200);
    await processor.place(small, 2);
    assert.deepEqual([processor.slower, processor.passes], [undefined, 1]);
    let times = null;
    processor.onchosen = (found) => { times = found; };
    processor.placementFor(200).setUnits(new Float32Array(20 * 200));
    await processor.place(large, 200);
    assert.deepEqual([processor.slower, processor.passes], [true, 3]);
    assert.deepEqual(times, { device: 1000, page: 0 });
    processor.placement = null;
    assert.deepEqual((await processor.place(large, 200)).results, wanted);
    assert.equal(processor.passes, 3);
});

test('results keep the placement that they were made with', async () => {
    const processor = new WebGPUVectorProcessor(), waiting = processor.place(Float32Array.of(1, 2, 3, 4), 2);
    await Promise.resolve();
    processor.placementFor(2).setUnits(Float32Array.of(0, 0, 1, 1));
    const { results, placement } = await waiting;
    assert.equal(results.length, 2 * placement.columns);
    const later = await processor.place(Float32Array.of(1, 2), 2);
    assert.equal(later.results.length, 5);
    assert.equal(later.placement.nearest(later.results, 0), 1);
});

test('rows of another dimension do not change where the others belong', async () => {
    const processor = new WebGPUVectorProcessor();
    processor.placementFor(2).setProjection({ axes: Float32Array.of(0, 1, 1, 0, 1, 1), mean: Float32Array.of(0, 0) });
    assert.deepEqual([...(await processor.place(Float32Array.of(5, 6, 7, 8), 4)).results], [5, 6, 7]);
    assert.deepEqual([...(await processor.place(Float32Array.of(5, 6), 2)).results], [6, 5, 11]);
});

test('vertex buffers: six numbers a point, written again while they fit', () => {
    const made = [], written = [], device = { queue: { writeBuffer: (buffer, at, data) => written.push([buffer, at, [...data]]) },
        createBuffer: (desc) => { made.push({ ...desc, destroy() { this.gone = true; } }); return made.at(-1); } };
    globalThis.GPUBufferUsage = { VERTEX: 32, COPY_DST: 8, STORAGE: 128 };
    try {
        const manager = new VertexBufferManager(device), cloud = manager.createVectorPointCloud(Float32Array.of(3, 0, 4, 0, 2, 0, 1));
        assert.deepEqual(written, [[cloud, 0, [...Float32Array.of(3, 0, 4, 5, 3.5, 1.5, 0, 2, 0, 2, 1.4, 0.6, 1, 0, 0, 1, 0.7, 0.3)]]]);
        assert.deepEqual([cloud.size, cloud.usage, manager.vertexBuffers.get('point_cloud') === cloud], [72, 40, true]);
        manager.updateVertexBuffer('point_cloud', Float32Array.of(1));
        manager.updateVertexBuffer('another', Float32Array.of(1));
        assert.deepEqual([made.length, written.length], [1, 2]);
        manager.updateVertexBuffer('point_cloud', new Float32Array(20));
        assert.deepEqual([made.length, cloud.gone, manager.bytes], [2, true, 80]);
        assert.equal(new VertexBufferManager(device, GPUBufferUsage.STORAGE).createVertexBuffer('a', new Float32Array(1)).usage, 168);
    } finally {
        delete globalThis.GPUBufferUsage;
    }
});

test('vectors whose device is lost are placed on the CPU; other errors remain', async () => {
    const rows = Float32Array.of(1, 2, 3, 4), { results: wanted } = await new WebGPUVectorProcessor().place(rows, 2);
    const processor = new WebGPUVectorProcessor();
    let lose;
    const device = processor.device = { lost: new Promise((resolve) => { lose = resolve; }) };
    processor.placePart = async () => { throw new Error('mapAsync'); };
    await assert.rejects(processor.place(rows, 2), /mapAsync/);
    processor.watchLoss(device);
    const told = new Promise((resolve) => { processor.onlost = resolve; }), placed = processor.place(rows, 2);
    setTimeout(lose, 20, { reason: 'unknown', message: 'gone' });       // after the error
    assert.deepEqual((await placed).results, wanted);
    assert.equal(await told, 'gone');
});

test('products come from a worker, which gets a matrix once; without it from the page', async () => {
    const placement = new Placement(2), rows = placement.extend(Float32Array.of(1, 2, 3, 4)), wanted = [1, 2, 0, 3, 4, 0], got = [];
    let known = null;
    const worker = { postMessage({ rows: some, inner, matrix }) {
        got.push(matrix !== null);
        known = matrix ?? known;
        if (got.length < 5) queueMicrotask(() => this.onmessage({ data: multiply(some, known, inner) }));
        else queueMicrotask(() => this.onerror({}));
    } };
    const products = new Products(() => worker);
    for (let i = 0; i < 3; i++) assert.deepEqual([...await products.multiply(rows, placement)], wanted);
    placement.setProjection({ axes: Float32Array.of(1, 0, 0, 1, 1, 1), mean: Float32Array.of(0, 0) });
    assert.deepEqual([...await products.multiply(rows, placement)], [1, 2, 3, 3, 4, 7]);
    assert.deepEqual(got, [true, false, false, true]);
    for (let i = 0; i < 2; i++) assert.deepEqual([...await products.multiply(rows, placement)], [1, 2, 3, 3, 4, 7]);
    assert.equal(got.length, 5);                        // it failed, and is not asked again
});

test('large products come in parts and are the same', async () => {
    const inner = 9, matrix = Float32Array.from({ length: 1000 * inner }, (_, i) => Math.sin(i)),
        rows = Float32Array.from({ length: 2500 * inner }, (_, i) => Math.cos(i));
    assert.deepEqual(await multiplyInParts(rows, matrix, inner), multiply(rows, matrix, inner));
    assert.deepEqual(await multiplyInParts(rows.subarray(0, inner), matrix, inner), multiply(rows.subarray(0, inner), matrix, inner));
});

test('pixels: a disc for each point, nearer ones in front, and fewer points while the camera moves', async () => {
    const { CanvasCloud } = await import('../../web/vectors/cloud_canvas.js');
    const canvas = { width: 64, height: 64 }, shown = [];
    const context = { createImageData: (width, height) => ({ width, height, data: new Uint8ClampedArray(width * height * 4) }),
        putImageData: (image) => shown.push(new Uint32Array(image.data.buffer.slice(0))) };
    const cloud = new CanvasCloud(canvas, context), camera = new Camera(), points = new Points();
    camera.turn = camera.tilt = 0;
    points.add(1, '', 0, 0, 0, 1, 0);
    points.add(2, '', 0.5, 0, 0, 1, 0);
    const lit = (picture) => picture.filter((pixel) => pixel !== 0xff000000).length, draw = (size, every) => {
        cloud.draw(points, camera.matrix(1), size, [0, 0, 0], every);
        return shown.at(-1);
    };
    assert.equal(lit(draw(3)), 18);
    const discs = lit(draw(10));
    assert.ok(discs > 2 * 60 && discs < 2 * 90, `${discs}`);
    assert.equal(lit(draw(3, 2)), 9);
    assert.deepEqual(draw(3), draw(3));
    points.add(3, '', 0, 0, 0.5, 5, 0);                     // in front of the first
    assert.notEqual(draw(3)[32 * 64 + 32], 0xff000000);
    assert.equal(lit(shown.at(-1)), 18);
});
