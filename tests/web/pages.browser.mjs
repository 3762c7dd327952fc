// SPDX-License-Identifier: Apache-2.0
// The pages in Chromium: they load without errors, show what the server does, and can be used
// with the keyboard.
import assert from 'node:assert';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { after, before, test } from 'node:test';
import { assertAccessible, chromium, noChromium, PATIENCE, serve } from './browser.mjs';

let server;

before(async () => { if (!noChromium) server = await serve(); });
after(() => server?.close());

/** Opens a page, does something, and expects no error of the page. */
async function visit(path, mode, work, options) {
    const { page, errors, close } = await chromium(mode, options);
    try {
        await page.goto(path.startsWith('http') ? path : server.url + path);
        await work(page);
        assert.deepEqual(errors, []);
    } finally {
        await close();
    }
}

const has = (page, selector, text) => page.waitForFunction(
    ([where, what]) => document.querySelector(where)?.textContent.includes(what), [selector, text], PATIENCE);

test('home: the state of the server, light and dark', { skip: noChromium }, async () => {
    for (const colorScheme of ['light', 'dark'])
        await visit('/', 'none', async (page) => {
            await has(page, '#now', 'workers free');
            assert.equal(await page.getAttribute('main a.card:first-child', 'href'), '/vectors');
            await assertAccessible(page);
        }, { colorScheme });
});

test('home: the colour scheme can be changed and is kept', { skip: noChromium }, async () => {
    await visit('/', 'none', async (page) => {
        const back = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
        const light = await back();
        await page.click('button[aria-label^="Change between"]');
        const dark = await back();
        assert.notEqual(light, dark);
        await page.reload();
        assert.equal(await back(), dark);
    });
});

test('every page keeps its policy: nothing inline, nothing from elsewhere', { skip: noChromium }, async () => {
    for (const path of ['/', '/vectors', '/dashboard', '/playground', '/gpu-test/', '/chat']) {
        const response = await fetch(server.url + path, { headers: { Accept: 'text/html' } });
        assert.match(response.headers.get('content-security-policy'), /default-src 'none'; script-src 'self'/);
        assert.equal(response.headers.get('cross-origin-opener-policy'), 'same-origin');
        assert.equal(response.headers.get('cross-origin-embedder-policy'), 'require-corp');
        const text = await response.text();
        assert.doesNotMatch(text, /<script(?![^>]*src=)|https?:\/\//);
    }
});

test('files are sent once: entity tags, compression', { skip: noChromium }, async () => {
    const first = await fetch(`${server.url}/page.css`), tag = first.headers.get('etag');
    assert.equal(first.headers.get('content-encoding'), 'gzip');
    assert.equal((await fetch(`${server.url}/page.css`, { headers: { 'If-None-Match': tag } })).status, 304);
    for (const path of ['/nothing.html', '/lib/', '/lib/../../etc/passwd', '/%2e%2e/weft.c', '/package.json'])
        assert.equal((await fetch(server.url + path)).status, 404, path);
});

test('playground: a kernel runs on the server and in the browser', { skip: noChromium }, async () => {
    await visit('/playground#example=mandelbrot', 'webgpu', async (page) => {
        await page.waitForSelector('#verdict.good', PATIENCE);
        await page.click('#run-both');
        await has(page, '#agreement', 'times as fast');
        const inside = await page.evaluate(() => {
            const canvas = document.querySelector('#view canvas');
            const at = (x, y) => [...canvas.getContext('2d').getImageData(x, y, 1, 1).data];
            return { size: [canvas.width, canvas.height], centre: at(192, 128), corner: at(2, 2) };
        });
        assert.deepEqual(inside.size, [384, 256]);
        assert.deepEqual(inside.centre, [0, 0, 0, 255]);                // inside the set
        assert.ok(inside.corner[2] > 60, String(inside.corner));        // outside: blue
    });
});

test('playground: mistakes are marked where they are', { skip: noChromium }, async () => {
    await visit('/playground', 'none', async (page) => {
        await page.waitForSelector('#verdict.good', PATIENCE);
        await page.fill('textarea[aria-label="WGSL source"]', '@compute @workgroup_size(1)\nfn main() { let x : f32 = 1u; }');
        await has(page, '#verdict', '1 error');
        assert.match(await page.textContent('#diagnostics'), /2:\d+ error:/);
        assert.equal(await page.textContent('.editor pre .error'), '1u');
        await page.click('#diagnostics button');
        const selected = await page.evaluate(() => {
            const input = document.querySelector('textarea[aria-label="WGSL source"]');
            return input.value.slice(input.selectionStart, input.selectionEnd);
        });
        assert.equal(selected, '1u');
    });
});

test('playground: without WebGPU the server still runs it, and the page says why the browser does not', { skip: noChromium }, async () => {
    await visit('/playground#example=saxpy', 'none', async (page) => {
        await page.waitForSelector('#verdict.good', PATIENCE);
        await page.focus('textarea[aria-label="WGSL source"]');
        await page.keyboard.press('Control+Enter');
        await has(page, '#times', 'WebGPU not supported');
        await page.click('button[data-view="table"]');
        await has(page, '#view', '[0]');
        assert.match(await page.textContent('#view tr:nth-child(1)'), /\[0\]1357/);
        await assertAccessible(page);
    });
});

test('playground: a link brings everything back', { skip: noChromium }, async () => {
    await visit('/playground', 'none', async (page) => {
        await page.waitForSelector('#verdict.good', PATIENCE);
        await page.fill('#workgroups', '3');
        await page.fill('textarea[aria-label="WGSL source"]', '// ünï\n@compute @workgroup_size(1) fn mine() {}');
        await has(page, '#verdict', 'mine: accepted');
        await page.click('#share');
        await page.waitForFunction(() => location.hash.startsWith('#code='));
        const shared = page.url();
        await page.goto('about:blank');
        await page.goto(shared);
        await has(page, '#verdict', 'mine: accepted');
        assert.equal(await page.inputValue('#workgroups'), '3');
    });
});

test('dashboard: figures, charts and jobs move', { skip: noChromium }, async () => {
    const job = JSON.stringify({ wgsl: '@group(0) @binding(0) var<storage, read_write> y : array<u32>; '
        + '@compute @workgroup_size(1) fn main() { y[0] = 7; }', outputs: { y: { size: 4 } }, wait: true });
    for (let i = 0; i < 5; i++) await fetch(`${server.url}/v1/jobs`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: job });
    await visit('/dashboard', 'none', async (page) => {
        await has(page, '#jobs', 'done');
        await page.waitForSelector('#charts canvas, #charts p', PATIENCE);
        await has(page, '#devices', 'kernel');
        await has(page, '#tenants', 'local');
        await page.selectOption('#filter', 'failed');
        await page.waitForFunction(() => !document.querySelector('#jobs').textContent.includes('done'), null, PATIENCE);
        await assertAccessible(page);
    });
});

test('GPU test: all kernels are right, served by weft and as plain files', { skip: noChromium }, async () => {
    const plain = spawn('python3', ['-u', '-m', 'http.server', '0', '--bind', '127.0.0.1', '--directory', 'examples/gpu-test'],
        { stdio: ['ignore', 'pipe', 'ignore'] });
    const port = /port (\d+)/.exec((await once(plain.stdout, 'data'))[0])[1];
    try {
        for (const url of ['/gpu-test/', `http://127.0.0.1:${port}/`])
            await visit(url, 'webgpu', async (page) => {
                await has(page, '#summary', 'passed');
                assert.equal(await page.textContent('#summary'), '13 of 13 passed');
                const [saved] = await Promise.all([page.waitForEvent('download'), page.click('#export')]);
                assert.equal(saved.suggestedFilename(), 'weft-gpu-test.json');
                await assertAccessible(page);
            });
    } finally {
        plain.kill();
    }
});

test('GPU test: without WebGPU it says so', { skip: noChromium }, async () => {
    await visit('/gpu-test/', 'none', async (page) => {
        await has(page, '#gpu-status', 'WebGPU not supported');
        assert.ok(await page.isDisabled('#run-tests'));
    });
});

test('chat: without a model it says how to serve one', { skip: noChromium }, async () => {
    const { page, close } = await chromium('none');
    try {
        await page.goto(`${server.url}/chat`);
        await has(page, '#trouble', 'weft serve --model FILE.gguf');
        assert.ok(await page.isDisabled('#send'));
        await assertAccessible(page);
    } finally {
        await close();
    }
});

test('the pages are readable on a phone, and accessible before anything is done', { skip: noChromium }, async () => {
    for (const path of ['/', '/vectors', '/dashboard', '/playground', '/gpu-test/', '/chat']) {
        const { page, close } = await chromium('none', { viewport: { width: 360, height: 700 } });
        try {
            await page.goto(server.url + path);
            await page.waitForSelector('main');
            const wide = await page.evaluate(() => document.documentElement.scrollWidth);
            assert.ok(wide <= 360, `${path} is ${wide} pixels wide`);
            await assertAccessible(page);
        } finally {
            await close();
        }
    }
});
