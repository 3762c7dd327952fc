// SPDX-License-Identifier: Apache-2.0
// The client of the integration notes (../shared/seeds, beside the source tree), verbatim, with
// the live protocol: JSON as it is, and binary once its socket gives array buffers. The notes
// leave processVectorQueue() to the reader. Then their page with the classes that the vectors page
// exports. Without the notes the tests are skipped.
import assert from 'node:assert';
import { existsSync, readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { chromium, noChromium, PATIENCE, serve } from './browser.mjs';

const NOTES = new URL('../../../shared/seeds/000_187cf1771c61f312.txt', import.meta.url);
const skip = noChromium || (existsSync(NOTES) ? false : '../shared/seeds is missing');
let server;

before(async () => { if (!skip) server = await serve('vectors.enabled=false'); });
after(() => server?.close());

/** The text of a class of the notes. */
function classOf(name) {
    const code = readFileSync(NOTES, 'utf8').split('```javascript').map((part) => part.split('```')[0])
        .find((part) => part.includes(`class ${name} `));
    return code.replace(/^.*?(?=class )/s, '');
}

/* Runs in the page: its processor copies, so that what is read back can be compared. */
const HARNESS = `
    window.shown = [];
    window.begin = async (url) => {
        const device = await (await navigator.gpu.requestAdapter()).requestDevice();
        const processor = { device, async processVectorStream(vector) {
            const buffer = device.createBuffer({ size: vector.byteLength, usage: GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST });
            device.queue.writeBuffer(buffer, 0, vector);
            return buffer;
        } };
        class Reader extends GPUWebSocketClient {
            async processVectorQueue() { while (this.vectorQueue.length) await this.handleVectorStream(this.vectorQueue.shift()); }
            updateVisualization(data) { window.shown.push(Array.from(data)); super.updateVisualization(data); }
        }
        // The page stays: it goes on to show the state of the server.
        document.body.append(Object.assign(document.createElement('canvas'), { id: 'som-visualization', width: 40, height: 40 }));
        window.client = new Reader(processor);
        window.client.connect(url);
    };`;

test('the client of the notes works verbatim', { skip }, async () => {
    const { page, errors, close } = await chromium('webgpu');
    const post = async (path, body) => {
        const response = await fetch(server.url + path, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) });
        assert.ok(response.ok, await response.text());
    };
    const shown = (row) => page.waitForFunction((wanted) => window.shown.some((is) => is.join() === wanted), row, PATIENCE);
    try {
        await page.goto(`${server.url}/`);
        await page.evaluate(`${classOf('GPUWebSocketClient')}\n${HARNESS}`);
        await page.evaluate((url) => window.begin(url), `${server.url.replace('http', 'ws')}/ws`);
        // It says nothing when it is subscribed: vectors are sent until the first comes.
        for (let i = 0; !(await page.evaluate(() => window.shown.length)); i++) {
            assert.ok(i < 1000);
            await post('/v1/vectors', { vectors: [[1, 2, 3, 4]] });
            await page.waitForTimeout(20);
        }
        await post('/v1/vectors', { vectors: [[5, 6, 7, 8], [0.5, 0.25, 0.125, 9]] });
        await shown('5,6,7,8');
        await shown('0.5,0.25,0.125,9');

        await page.evaluate(() => {
            window.client.ws.binaryType = 'arraybuffer';
            window.shown = [];
            window.client.ws.send(JSON.stringify({ type: 'subscribe', channels: ['vector_updates'], binary: true }));
            window.client.ws.send(JSON.stringify({ type: 'request_vectors', limit: 1 }));
        });
        await shown('0.5,0.25,0.125,9');
        await post('/v1/vectors', { vectors: [[2, 4, 6, 8]] });
        await shown('2,4,6,8');

        await post('/v1/jobs', { wgsl: '@group(0) @binding(0) var<storage, read_write> y : array<f32>; '
            + '@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i : u32) { y[i] = f32(i) + 11; }',
        outputs: { y: { shape: [4] } }, publish: 'vectors', wait: true });
        await shown('11,12,13,14');
        assert.deepEqual(errors, []);
    } finally {
        await close();
    }
});

/** The page of the notes, which finds its classes in /vectors/index.js. */
function pageOf() {
    const [page] = /<!DOCTYPE html>.*<\/html>/s.exec(readFileSync(NOTES, 'utf8'));
    return page.replace('<script type="module">', `$&
        import { GPUWebSocketClient, VertexBufferManager, WebGPUVectorProcessor } from '/vectors/index.js';
        window.VertexBufferManager = VertexBufferManager;
        window.WebSocket = class extends WebSocket {        // the port of this server instead of 8095
            constructor(url, protocols) { window.asked = url; super(url.replace('localhost:8095', location.host + '/ws'), protocols); window.socket = this; }
        };
        window.begin = () => webgpuProcessor;`);
}

test('the page of the notes works with the exported classes', { skip }, async () => {
    const { page, errors, close } = await chromium('webgpu', { bypassCSP: true });       // the notes have inline code
    try {
        await page.goto(`${server.url}/examples/saxpy.wgsl`);       // a text of the server, which the page replaces
        await page.setContent(pageOf());
        const has = (id, words) => page.waitForFunction(([where, what]) => document.getElementById(where).textContent.includes(what), [id, words], PATIENCE);
        await has('gpu-status', 'WebGPU: Ready');
        await has('connection-status', 'Connected');
        assert.equal(await page.evaluate(() => window.asked), 'ws://localhost:8095');
        await page.waitForFunction(() => window.socket.readyState === 1, null, PATIENCE);
        await page.click('text=Request Vectors');
        const drawn = () => page.evaluate(() => {
            const { width, height } = document.getElementById('som-visualization');
            return document.getElementById('som-visualization').getContext('2d').getImageData(0, 0, width, height).data.filter((value, i) => i % 4 === 3 && value).length;
        });
        for (let i = 0; !(await drawn()); i++) {            // the result of a job is drawn, once it is subscribed
            assert.ok(i < 1000);
            await fetch(`${server.url}/v1/jobs`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({
                wgsl: '@group(0) @binding(0) var<storage, read_write> y : array<f32>; '
                    + '@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i : u32) { y[i] = f32(i) + 11; }',
                outputs: { y: { shape: [4] } }, wait: true }) });
            await page.waitForTimeout(20);
        }
        const read = await page.evaluate(async () => {      // as the client of the notes reads results
            const processor = window.begin(), vector = Float32Array.of(3, 4, 12, 1, 1, 1, 1, 1), { device } = processor;
            const results = await processor.processVectorStream(vector), size = vector.byteLength;
            const target = device.createBuffer({ size, usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ }), encoder = device.createCommandEncoder();
            encoder.copyBufferToBuffer(results, 0, target, 0, size);
            device.queue.submit([encoder.finish()]);
            await target.mapAsync(GPUMapMode.READ);
            const manager = new window.VertexBufferManager(device), cloud = manager.createVectorPointCloud([3, 4, 12]);
            return [...new Float32Array(target.getMappedRange()).slice(0, 3), cloud.size, manager.vertexBuffers.has('point_cloud')];
        });
        assert.deepEqual(read, [3, 4, 12, 24, true]);
        assert.deepEqual(errors.filter((error) => !error.includes('404')), []);     // browsers ask for an icon
    } finally {
        await close();
    }
});
