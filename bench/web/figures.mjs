// SPDX-License-Identifier: Apache-2.0
// figures.mjs - what the web pages cost in Chromium that draws in software, on this machine.
//
//     tests/web/in-browsers build/release/bin/weft bench/web/figures.mjs [paint] [cloud] [heap]
//
// paint   first paint of each page over loopback without a cache (median of 5), and its bytes
// cloud   100,000 points with the renderer that the page chooses: how long clicks, keys and
//         movements wait for their picture (Event Timing of the browser: input to next paint)
// heap    the dashboard for an hour of readings, taken as fast as the server answers: heap after
//         a forced collection at readings 600 and 3,600
import { chromium, serve } from '../../tests/web/browser.mjs';

const PAGES = ['/', '/vectors', '/dashboard', '/playground', '/gpu-test/', '/chat'];
const POINTS = 100000, DIMENSION = 16, PART = 4000;
const READINGS = 3600, FIRST = 600;     // one a second: an hour, and its first ten minutes
const wanted = process.argv.slice(2);
const median = (list) => list.sort((a, b) => a - b)[list.length >> 1];
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function paint(server) {
    const { page: first, close: quit } = await chromium('none'), browser = first.context().browser();
    await first.goto(`${server.url}/`);                     // the browser has started
    for (const path of PAGES) {
        const times = [];
        let bytes = 0, files = 0;
        for (let i = 0; i < 5; i++) {
            const context = await browser.newContext(), page = await context.newPage();
            await page.goto(server.url + path, { waitUntil: 'load', timeout: 60000 });
            await sleep(1000);
            const seen = await page.evaluate(() => ({
                first: performance.getEntriesByType('paint').find(({ name }) => name === 'first-contentful-paint')?.startTime,
                sizes: [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
                    .filter(({ name }) => !name.includes('/v1/') && !name.endsWith('/metrics')).map(({ transferSize }) => transferSize) }));
            if (seen.first) times.push(seen.first);
            files = seen.sizes.length;
            bytes = seen.sizes.reduce((a, b) => a + b, 0);
            await context.close();
        }
        console.log(`paint  ${path.padEnd(12)} ${median(times).toFixed(0).padStart(5)} ms   ${(bytes / 1e3).toFixed(0).padStart(4)} KB in ${files} files`
            + '   (bars 300 ms, 300 KB; aims 100 ms, 150 KB)');
    }
    await quit();
}

/** Points around sixteen centres, as a binary body. */
function rows(count) {
    const data = new Float32Array(count * DIMENSION);
    for (let i = 0; i < data.length; i++) data[i] = Math.sin((i / DIMENSION | 0) % 16 * 7 + i % DIMENSION) + Math.random() - 0.5;
    return data;
}

async function publish(server) {
    const response = await fetch(`${server.url}/v1/vectors?dimension=${DIMENSION}`, {
        method: 'POST', headers: { 'Content-Type': 'application/octet-stream' }, body: rows(PART) });
    if (!response.ok) throw new Error(await response.text());
}

async function cloud(server) {
    const { page, close } = await chromium('webgpu');
    await page.goto(`${server.url}/vectors`);
    await page.waitForFunction(() => document.querySelector('#connection-status').textContent === 'Connected', null, { timeout: 60000 });
    const count = () => page.evaluate(() => Number(/\d+/.exec(document.querySelector('#vector-count').textContent)[0]));
    while (await count() < POINTS) {
        const before = await count();
        await publish(server);
        for (let i = 0; i < 600 && await count() < before + PART; i++) await sleep(100);
    }
    await sleep(10000);                                     // the map and the places come to rest
    await page.evaluate(() => {
        window.waits = [];
        new PerformanceObserver((list) => { for (const entry of list.getEntries()) window.waits.push([entry.name, entry.duration]); })
            .observe({ type: 'event', durationThreshold: 16, buffered: false });
    });
    const box = await page.locator('#gpu-canvas').boundingBox(), x = box.x + box.width / 2, y = box.y + box.height / 2;
    await page.focus('#gpu-canvas');
    for (let i = 0; i < 20; i++) { await page.keyboard.press(i % 2 ? 'ArrowLeft' : 'ArrowUp'); await sleep(150); }
    await page.mouse.move(x, y);
    await page.mouse.down();
    for (let i = 1; i <= 20; i++) { await page.mouse.move(x + 6 * i, y + 3 * i); await sleep(100); }
    await page.mouse.up();
    for (let i = 0; i < 5; i++) { await page.mouse.click(x + 9 * i, y); await sleep(300); }
    const { waits, drawn } = await page.evaluate(() => ({ waits: window.waits, drawn: document.querySelector('#renderer').textContent }));
    const times = waits.map(([, ms]) => ms).sort((a, b) => a - b);
    console.log(`cloud  ${POINTS} points; ${drawn}`);
    for (const kind of [...new Set(waits.map(([name]) => name))].sort()) {
        const of = waits.filter(([name]) => name === kind).map(([, ms]) => ms).sort((a, b) => a - b);
        console.log(`cloud  ${kind.padEnd(14)} ${String(of.length).padStart(3)} above 16 ms, median ${of[of.length >> 1]} ms, longest ${of.at(-1)} ms`);
    }
    console.log(`cloud  input answered within ${times.at(-1) ?? 16} ms   (bar 150, aim 60)`);
    await close();
}

async function heap(server) {
    const { page, close } = await chromium('none');
    await page.addInitScript(() => {
        const { setTimeout: wait, fetch: ask } = window;
        window.readings = 0;
        window.setTimeout = (work, ms, ...rest) => wait(work, Math.min(ms ?? 0, 5), ...rest);
        window.fetch = (url, ...rest) => { if (String(url).includes('/metrics')) window.readings++; return ask(url, ...rest); };
    });
    await page.goto(`${server.url}/dashboard`);
    const session = await page.context().newCDPSession(page);
    const used = async () => {
        for (let i = 0; i < 3; i++) await session.send('HeapProfiler.collectGarbage');
        return (await session.send('Runtime.getHeapUsage')).usedSize / 1e6;
    };
    const job = JSON.stringify({ wgsl: '@group(0) @binding(0) var<storage, read_write> y : array<u32>; '
        + '@compute @workgroup_size(1) fn main() { y[0] = 7; }', outputs: { y: { size: 4 } }, wait: true });
    const reach = async (count) => {
        while (await page.evaluate(() => window.readings) < count) {
            await fetch(`${server.url}/v1/jobs`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: job });
            await sleep(20);
        }
        return used();
    };
    const early = await reach(FIRST), late = await reach(READINGS);
    console.log(`heap   ${early.toFixed(2)} MB after ${FIRST} readings, ${late.toFixed(2)} MB after ${READINGS}: `
        + `${(late - early).toFixed(2)} MB more   (bar 2)`);
    await close();
}

const server = await serve('vectors.max_vectors=200000', 'live.history=64MiB');
try {
    for (const [name, run] of Object.entries({ paint, cloud, heap })) if (!wanted.length || wanted.includes(name)) await run(server);
} finally {
    await server.close();
}
