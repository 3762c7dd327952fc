// SPDX-License-Identifier: Apache-2.0
// The vectors page in browsers: every renderer shows the cloud, the map follows the server, and
// the page can be used with the keyboard.
import assert from 'node:assert';
import { after, before, test } from 'node:test';
import { assertAccessible, chromium, firefox, noChromium, noFirefox, PATIENCE, serve } from './browser.mjs';

const DIMENSION = 8, COUNT = 300;
let server;

/** Three clusters, each around an axis of its own; the same numbers every time. */
function clusters() {
    let state = 7;
    const random = () => (state = state * 1103515245 + 12345 & 0x7fffffff) / 0x7fffffff - 0.5;
    const vectors = [], labels = [];
    for (let i = 0; i < COUNT; i++) {
        vectors.push(Array.from({ length: DIMENSION }, (_, d) => (d === i % 3 ? 4 : 0) + random()));
        labels.push(`${['red', 'green', 'blue'][i % 3]} ${i}`);
    }
    return { vectors, labels };
}

async function post(body) {
    const response = await fetch(`${server.url}/v1/vectors`, { method: 'POST', body: JSON.stringify(body) });
    assert.ok(response.ok, await response.text());
}

before(async () => {
    if (noChromium && noFirefox) return;
    server = await serve('vectors.map.width=12', 'vectors.map.height=12', 'vectors.update=100ms');
    await post(clusters());
});
after(() => server?.close());

const has = (page, selector, words) => page.waitForFunction(
    (where, what) => document.querySelector(where)?.textContent.includes(what), PATIENCE, selector, words);
/** The same with playwright's order of arguments. */
const shows = (page, selector, words) => page.waitForFunction(
    ([where, what]) => document.querySelector(where)?.textContent.includes(what), [selector, words], PATIENCE);

/** Shares of pixels that differ from the upper left one: of the whole canvas and of its border. */
async function coverage(page, selector) {
    const png = (await page.locator(selector).screenshot()).toString('base64');
    return page.evaluate(async (data) => {
        const image = new Image();
        image.src = `data:image/png;base64,${data}`;
        await image.decode();
        const { width, height } = image, canvas = new OffscreenCanvas(width, height), context = canvas.getContext('2d');
        context.drawImage(image, 0, 0);
        const { data: pixels } = context.getImageData(0, 0, width, height), at = (4 * width + 4) * 4, colours = new Set();
        let all = 0, border = 0;
        for (let i = 0; i < pixels.length; i += 4) {
            const x = i / 4 % width, y = Math.floor(i / 4 / width);
            if (![0, 1, 2].some((c) => Math.abs(pixels[i + c] - pixels[at + c]) > 24)) continue;
            all++;
            if (x < width * 0.04 || y < height * 0.04 || x > width * 0.96 || y > height * 0.96) border++;
            colours.add(pixels[i] >> 5 << 6 | pixels[i + 1] >> 5 << 3 | pixels[i + 2] >> 5);
        }
        return { all: all / (width * height), border: border / (width * height), colours: colours.size };
    }, png);
}

async function visit(query, mode, work, options) {
    const { page, errors, close } = await chromium(mode, options);
    try {
        await page.goto(`${server.url}/vectors${query}`);
        await work(page);
        assert.deepEqual(errors, []);
    } finally {
        await close();
    }
}

async function assertPictures(page) {
    await shows(page, '#connection-status', 'Connected');
    await shows(page, '#vector-count', `Vectors: ${COUNT}`);
    await shows(page, '#map-quality', '12 x 12 units');
    let cloud, map;
    const whole = () => cloud.all > 0.0005 && cloud.all < 0.5 && cloud.border < 0.02 && map.colours > 3;
    for (const end = Date.now() + PATIENCE.timeout; !map || (!whole() && Date.now() < end);) {
        await page.waitForTimeout(500);                     // the points arrive at their places
        cloud = await coverage(page, '#gpu-canvas');
        map = await coverage(page, '#som-visualization');
    }
    assert.ok(cloud.all > 0.0005 && cloud.all < 0.5, `points cover ${cloud.all} of the cloud`);
    assert.ok(cloud.border < 0.02, `points cover ${cloud.border} of the border`);
    assert.ok(map.colours > 3, `the map has ${map.colours} colours`);
}

for (const [mode, renderer, words] of [['webgpu', 'webgpu', 'WebGPU'], ['webgl', 'webgl', 'WebGL 2'], ['none', 'canvas', '2D canvas']])
    test(`the cloud with ${words}`, { skip: noChromium }, () => visit(`?renderer=${renderer}`, mode, async (page) => {
        await shows(page, '#renderer', `Drawn with ${words}, as asked for`);
        await assertPictures(page);
        await shows(page, '#gpu-status', mode === 'webgpu' ? 'WebGPU: Ready' : 'WebGPU: Not supported');
    }));

test('the page chooses a renderer and says why', { skip: noChromium }, () => visit('', 'webgpu', async (page) => {
    await shows(page, '#renderer', 'ms a frame');
    await assertPictures(page);
}));

test('without WebGPU and WebGL the page works, light and dark', { skip: noChromium }, async () => {
    for (const colorScheme of ['light', 'dark'])
        await visit('', 'none', async (page) => {
            await shows(page, '#renderer', '2D canvas');
            await assertPictures(page);
            await assertAccessible(page);
        }, { colorScheme });
});

test('a label is found with the keyboard, and its neighbours are shown', { skip: noChromium }, () => visit('', 'none', async (page) => {
    await shows(page, '#vector-count', `Vectors: ${COUNT}`);
    await page.focus('#find');
    await page.keyboard.type('green 4');
    await shows(page, '#chosen-title', 'green 4');
    await page.waitForSelector('#chosen li', PATIENCE);
    const near = await page.locator('#chosen li button').allTextContents();
    assert.ok(near.length >= 5 && near.every((name) => name.startsWith('green')), near.join());
    await page.fill('#find', 'mauve');
    await page.keyboard.press('Enter');
    await shows(page, '#chosen', "No label of the points shown contains 'mauve'.");
    await page.fill('#find', 'red 29');         // of several
    await page.keyboard.press('Enter');
    await shows(page, '#chosen-title', 'red 29');
    await page.focus('#gpu-canvas');
    const picture = () => page.locator('#gpu-canvas').screenshot(), before = await picture();
    for (let i = 0; i < 5; i++) await page.keyboard.press('ArrowRight');
    while ((await picture()).equals(before)) await page.waitForTimeout(100);
}));

test('the cloud keeps its height, however many points are chosen', { skip: noChromium }, () => visit('', 'none', async (page) => {
    await shows(page, '#vector-count', `Vectors: ${COUNT}`);
    await shows(page, '#map-quality', '12 x 12 units');
    const canvas = page.locator('#gpu-canvas'), height = async () => (await canvas.boundingBox()).height, before = await height();
    await page.fill('#find', 'green 4');
    await page.waitForSelector('#chosen li', PATIENCE);
    assert.equal(await height(), before);
    await page.click('#lasso');
    const box = await canvas.boundingBox(), [left, right, top, bottom] = [box.x + 2, box.x + box.width - 2, box.y + 2, box.y + box.height - 2];
    await page.mouse.move(left, top);
    await page.mouse.down();
    for (const [x, y] of [[right, top], [right, bottom], [left, bottom]]) await page.mouse.move(x, y);
    await page.mouse.up();
    await page.waitForFunction(() => document.querySelectorAll('#chosen li').length >= 100, null, PATIENCE);
    assert.equal(await height(), before);
    await assertAccessible(page);
    await page.focus('#chosen');
    await page.keyboard.press('End');
    await page.waitForFunction(() => document.querySelector('#chosen').scrollTop > 0, null, PATIENCE);
}));

test('the view returns with the page', { skip: noChromium }, () => visit('', 'none', async (page) => {
    await shows(page, '#connection-status', 'Connected');
    const kept = (view) => page.waitForResponse((response) => response.url().endsWith('/v1/vectors/view')
        && response.request().method() === 'PUT' && response.request().postData().includes(view), PATIENCE);
    await Promise.all([kept('hits'), page.selectOption('#map-view', 'hits')]);
    await page.reload();
    await page.waitForFunction(() => document.querySelector('#map-view').value === 'hits', null, PATIENCE);
    await Promise.all([kept('umatrix'), page.selectOption('#map-view', 'umatrix')]);
}));

test('a click marks a point without drawing the map again, and arrow keys walk on the map', { skip: noChromium }, () => visit('', 'none', async (page) => {
    await shows(page, '#vector-count', `Vectors: ${COUNT}`);
    await shows(page, '#map-quality', '12 x 12 units');
    await page.waitForSelector('#legend:not([hidden])', PATIENCE);
    await page.evaluate(() => {
        const { fill } = CanvasRenderingContext2D.prototype;
        CanvasRenderingContext2D.prototype.fill = function (...values) { window.fills++; return fill.apply(this, values); };
    });
    await page.fill('#find', 'blue 2');
    await page.waitForSelector('#chosen li', PATIENCE);
    // A map that the server still trains is drawn again by itself, but not with every click.
    let fills = 1;
    for (let tries = 0; fills && tries < 100; tries++) {
        await page.evaluate(() => { window.fills = 0; });
        const next = await page.textContent('#chosen li button');
        await page.click('#chosen li button');
        await shows(page, '#chosen-title', next);
        fills = await page.evaluate(() => window.fills);
    }
    assert.equal(fills, 0);
    await page.focus('#som-visualization');
    await page.keyboard.press('ArrowRight');
    const at = async () => Number(/Unit (\d+)/.exec(await page.textContent('#chosen-title'))[1]), unit = await at();
    await page.keyboard.press('ArrowDown');
    assert.equal(await at(), Math.min(143, unit + 12));
    await page.keyboard.press('Escape');
    assert.equal(await page.textContent('#chosen-title'), 'Point');
}));

test('new vectors arrive without a reload', { skip: noChromium }, () => visit('', 'none', async (page) => {
    await shows(page, '#vector-count', `Vectors: ${COUNT}`);
    await post({ vectors: [[1, 1, 1, 1, 1, 1, 1, 1]], labels: ['newcomer'], ids: [900000 + Date.now() % 90000] });
    await shows(page, '#vector-count', `Vectors: ${COUNT + 1}`);
    await page.fill('#find', 'newcomer');
    await shows(page, '#chosen-title', 'newcomer');
}));

test('a stream of batches needs no new memory on the device', { skip: noChromium }, () => visit('?renderer=canvas', 'webgpu', async (page) => {
    await shows(page, '#gpu-status', 'WebGPU: Ready');
    const { first, last, right } = await page.evaluate(async () => {
        const { WebGPUVectorProcessor } = await import('/vectors/index.js');
        const processor = new WebGPUVectorProcessor(), batch = new Float32Array(64).map((_, i) => i);
        await processor.initialize({ canvas: null });
        const { results } = await processor.place(batch, 16);
        const start = processor.bytes;
        for (let i = 0; i < 10000; i++) {
            await processor.processVectorStream(batch, 16);
            if (i % 100 === 99) await processor.device.queue.onSubmittedWorkDone();
        }
        const bytes = processor.bytes;
        processor.destroy();
        return { first: start, last: bytes, right: [...results] };
    });
    assert.equal(first, last);
    assert.deepEqual(right, [0, 1, 2, 16, 17, 18, 32, 33, 34, 48, 49, 50]);
}));

test('points are as large with WebGPU as on a 2D canvas', { skip: noChromium }, () => visit('?renderer=canvas', 'webgpu', async (page) => {
    await shows(page, '#gpu-status', 'WebGPU: Ready');
    const lit = await page.evaluate(async () => {
        const [{ WebGPUVectorProcessor }, { WebGPUCloud }, { CanvasCloud }, { Points }, { Camera }] = await Promise.all(
            ['index', 'cloud_webgpu', 'cloud_canvas', 'points', 'camera'].map((name) => import(`/vectors/${name}.js`)));
        const processor = new WebGPUVectorProcessor(), points = new Points(), camera = new Camera(), counts = [];
        await processor.initialize({ canvas: null });
        for (let i = 0; i < 2500; i++) points.add(i, '', i % 50 / 50 - 0.5, Math.floor(i / 50) / 50 - 0.5, 0, 1, 0);
        camera.turn = camera.tilt = 0;
        for (const size of [3, 6])
            for (const Kind of [WebGPUCloud, CanvasCloud]) {
                const canvas = Object.assign(document.createElement('canvas'), { width: 800, height: 800 }), copy = new OffscreenCanvas(800, 800);
                const cloud = await Kind.create(canvas, processor);
                cloud.draw(points, camera.matrix(1), size, [0, 0, 0]);
                copy.getContext('2d').drawImage(canvas, 0, 0);
                counts.push(copy.getContext('2d').getImageData(0, 0, 800, 800).data.reduce((sum, value, i) => sum + (i % 4 === 0 && value > 60), 0));
                cloud.destroy();
            }
        processor.destroy();
        return counts;
    });
    for (const at of [0, 2]) assert.ok(lit[at] > 0.85 * lit[at + 1] && lit[at] < 1.15 * lit[at + 1], lit.join());
    assert.ok(lit[1] > 20000, lit.join());
}));

test('the result of a job leaves map and cloud as they are', { skip: noChromium }, () => visit('?renderer=canvas', 'none', async (page) => {
    await shows(page, '#map-quality', '12 x 12 units');
    await page.evaluate(async () => {
        const { GPUWebSocketClient: { prototype } } = await import('/vectors/index.js'), { renderSOMGrid } = prototype;
        window.grids = 0;
        prototype.renderSOMGrid = function (...values) { window.grids++; return renderSOMGrid.apply(this, values); };
    });
    const answer = await fetch(`${server.url}/v1/jobs`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify({
        wgsl: '@group(0) @binding(0) var<storage, read_write> y : array<f32>; @compute @workgroup_size(4) fn main(@builtin(local_invocation_index) i : u32) { y[i] = 1; }',
        outputs: { y: { shape: [4] } }, wait: true }) });
    assert.equal((await answer.json()).state, 'done');
    await post({ vectors: [[1, 1, 1, 1, 1, 1, 1, 2]], labels: ['after the job'], ids: [700000] });
    await page.waitForFunction(() => {
        document.querySelector('#find').value = 'after the job';
        document.querySelector('#find').dispatchEvent(new Event('input'));
        return document.querySelector('#chosen-title').textContent === 'after the job';
    }, null, PATIENCE);
    assert.equal(await page.evaluate(() => window.grids), 0);
}));

test('vectors that arrive while the device is lost are shown, and no error stays', { skip: noChromium }, () => visit('?renderer=canvas', 'webgpu', async (page) => {
    await shows(page, '#gpu-status', 'WebGPU: Ready');
    await shows(page, '#map-quality', '12 x 12 units');
    await shows(page, '#vector-count', 'Vectors: 30');
    await page.evaluate(() => {         // results are read after the loss
        const { mapAsync } = GPUBuffer.prototype;
        const lost = new Promise((resolve) => {
            const status = document.querySelector('#gpu-status');
            new MutationObserver(() => { if (status.textContent.includes('Lost')) resolve(window.lost = true); })
                .observe(status, { childList: true, characterData: true, subtree: true });
        });
        GPUBuffer.prototype.mapAsync = async function (...values) { window.held = true; await lost; return mapAsync.apply(this, values); };
    });
    await post({ vectors: [[2, 1, 1, 1, 1, 1, 1, 1]], labels: ['in the loss'], ids: [800000] });
    await page.waitForFunction(() => window.held, null, PATIENCE);
    await (await page.context().browser().newBrowserCDPSession()).send('Browser.crashGpuProcess');
    await page.waitForFunction(() => window.lost, null, PATIENCE);
    await shows(page, '#gpu-status', 'WebGPU: Ready');
    await page.fill('#find', 'in the loss');
    await page.waitForFunction(() => {
        document.querySelector('#find').dispatchEvent(new Event('input'));
        return document.querySelector('#chosen-title').textContent === 'in the loss';
    }, null, PATIENCE);
    assert.equal(await page.textContent('#trouble'), '');
}));

test('two fingers zoom', { skip: noChromium }, () => visit('', 'none', async (page) => {
    await shows(page, '#vector-count', 'Vectors: 30');
    await shows(page, '#renderer', '2D canvas');
    const { x, y, width, height } = await page.locator('#gpu-canvas').boundingBox(), touch = await page.context().newCDPSession(page);
    const fingers = (type, apart) => touch.send('Input.dispatchTouchEvent', { type, touchPoints: apart === undefined ? []
        : [-apart, apart].map((dx, id) => ({ id, x: x + width / 2 + dx, y: y + height / 2 })) });
    const kept = page.waitForRequest((request) => request.method() === 'PUT' && request.url().endsWith('/v1/vectors/view'), PATIENCE);
    await fingers('touchStart', 30);
    await fingers('touchMove', 45);
    await fingers('touchMove', 60);
    await fingers('touchEnd');
    const { camera } = JSON.parse((await kept).postData());
    assert.ok(Math.abs(camera.distance - 1.4) < 0.05, `${camera.distance}`);        // it was 2.8
    assert.equal(camera.turn, 0.6);
}, { viewport: { width: 390, height: 800 }, isMobile: true, hasTouch: true }));

test('the page tells the server what its device does', { skip: noChromium }, () => visit('', 'webgpu', async (page) => {
    const told = new Promise((resolve) => page.on('websocket', (socket) => socket.on('framesent', ({ payload }) => {
        if (String(payload).includes('client_metrics')) resolve(JSON.parse(payload));
    })));
    await page.reload();
    const { adapter, limits, buffer_bytes: bytes, compute_ms: compute, readback_ms: readBack, frame_ms: frame } = await told;
    assert.match(adapter, /swiftshader/i);
    assert.ok(limits.maxBufferSize > 0 && bytes > 0, `${limits.maxBufferSize} ${bytes}`);
    assert.ok([compute, readBack, frame].every((ms) => ms >= 0), `${compute} ${readBack} ${frame}`);
}));

test('deleted vectors leave the page', { skip: noChromium }, async () => {
    const shared = server;
    server = await serve('vectors.map.width=12', 'vectors.map.height=12', 'vectors.update=100ms');
    try {
        await post(clusters());
        await visit('', 'none', async (page) => {
            await shows(page, '#vector-count', `Vectors: ${COUNT}`);
            await shows(page, '#map-quality', '12 x 12 units');
            assert.ok((await fetch(`${server.url}/v1/vectors`, { method: 'DELETE' })).ok);
            await shows(page, '#vector-count', 'Vectors: 0');
            await shows(page, '#map-quality', 'No map yet');
            await post({ vectors: [[1, 2, 3], [3, 2, 1]], labels: ['other', 'another'] });       // another dimension
            await shows(page, '#vector-count', 'Vectors: 2');
            await page.fill('#find', 'other');
            await shows(page, '#chosen-title', 'other');
        });
    } finally {
        await server.close();
        server = shared;
    }
});

test('no vectors, one vector, and labels that could do harm', { skip: noChromium }, async () => {
    const shared = server, labels = ['x'.repeat(600), '\u202eright to left', '👩‍👩‍👧‍👦 日本語', '<img src=x onerror=alert(1)>'];
    server = await serve('vectors.map.width=12', 'vectors.map.height=12', 'vectors.update=100ms');
    try {
        await visit('', 'none', async (page) => {
            await shows(page, '#empty', 'No vectors yet');
            await post({ vectors: [[300, 400, 500]], labels: ['alone'] });
            await shows(page, '#map-quality', '1 vector indexed');
            await page.fill('#find', 'alone');
            await shows(page, '#chosen', 'None of the points shown.');
            assert.ok(await page.isHidden('#empty'));
            await post({ vectors: [[1, 2, 3], [3, 1, 2], [2, 2, 2.5], [1, 1, 0.5]], labels });
            await shows(page, '#vector-count', 'Vectors: 5');
            for (const label of labels) {
                await page.fill('#find', label);
                await page.waitForFunction((wanted) => document.querySelector('#chosen-title').textContent === wanted, label, PATIENCE);
                await page.waitForSelector('#chosen li', PATIENCE);
            }
            assert.equal(await page.locator('#chosen img').count(), 0);
            assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
            await assertAccessible(page);
        });
    } finally {
        await server.close();
        server = shared;
    }
});

test('a renderer that is not there is named', { skip: noChromium }, async () => {
    await visit('?renderer=webgpu', 'none', (page) => shows(page, '#empty', 'WebGPU is not available in this browser. Without ?renderer=webgpu'));
    await visit('?renderer=webgl', 'none', (page) => shows(page, '#empty', 'WebGL 2 is not available in this browser'));
    await visit('?renderer=paint', 'none', async (page) => {
        await shows(page, '#empty', "unknown renderer 'paint'; there are webgpu, webgl, canvas");
        await page.click('#lasso');
    });
});

test('other pages can use the classes', { skip: noChromium }, () => visit('?renderer=canvas', 'none', async (page) => {
    const methods = await page.evaluate(async () => {
        const classes = await import('/vectors/index.js');
        return Object.fromEntries(Object.entries(classes).map(([name, { prototype }]) => [name, Object.getOwnPropertyNames(prototype)]));
    });
    for (const [name, wanted] of Object.entries({
        WebGPUVectorProcessor: ['initialize', 'createComputePipeline', 'processVectorStream'],
        GPUWebSocketClient: ['connect', 'handleMessage', 'handleVectorStream', 'processVectorQueue', 'updateVisualization', 'renderSOMGrid'],
        VertexBufferManager: ['createVertexBuffer', 'updateVertexBuffer', 'createVectorPointCloud'] }))
        assert.deepEqual(wanted.filter((method) => !methods[name].includes(method)), [], name);
}));

test('Firefox: the page connects and draws', { skip: noFirefox }, async () => {
    const { page, errors, close } = await firefox();
    try {
        await page.goto(`${server.url}/vectors`);
        await has(page, '#connection-status', 'Connected');
        await has(page, '#vector-count', 'Vectors: 30');
        await has(page, '#renderer', 'Drawn with');
        assert.deepEqual(errors, []);
    } finally {
        await close();
    }
});
