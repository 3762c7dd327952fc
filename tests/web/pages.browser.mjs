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

test('a server that stops answering is reported, and noticed when it returns', { skip: noChromium }, async () => {
    const { page, close } = await chromium('none');
    try {
        for (const [path, where, words] of [['/', '#trouble', 'does not answer'], ['/dashboard', '#state', 'no answer']]) {
            await page.goto(server.url + path);
            await page.waitForFunction(() => /idle|processing/.test(document.querySelector('main').textContent), null, PATIENCE);
            await page.route(/\/v1\/|metrics/, (route) => route.abort());
            await has(page, where, words);
            await page.unroute(/\/v1\/|metrics/);
            await page.waitForFunction(([at, what]) => !document.querySelector(at).checkVisibility() || !document.querySelector(at).textContent.includes(what),
                [where, words], PATIENCE);
        }
    } finally {
        await close();
    }
});

test('every page keeps its policy: nothing inline, nothing from elsewhere', { skip: noChromium }, async () => {
    for (const path of ['/', '/vectors', '/dashboard', '/playground', '/gpu-test/', '/chat']) {
        const response = await fetch(server.url + path, { headers: { Accept: 'text/html' } });
        const policy = response.headers.get('content-security-policy');
        assert.match(policy, /default-src 'none'; script-src 'self'; style-src 'self';/);
        assert.doesNotMatch(policy, /unsafe/);
        assert.equal(response.headers.get('cross-origin-opener-policy'), 'same-origin');
        assert.equal(response.headers.get('cross-origin-embedder-policy'), 'require-corp');
        const text = await response.text();
        assert.doesNotMatch(text, /<script(?![^>]*src=)|https?:\/\/| style=/);
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

test('playground: one of several entry points is run, and a link keeps which', { skip: noChromium }, () => visit('/playground', 'none', async (page) => {
    await page.waitForSelector('#verdict.good', PATIENCE);
    assert.ok(await page.isHidden('#entry'));
    await page.fill('textarea[aria-label="WGSL source"]', ['one', 'two'].map((name, i) => `@group(0) @binding(${i}) var<storage, read_write> of_${name} : array<f32>;\n`
        + `@compute @workgroup_size(1) fn ${name}() { of_${name}[0] = ${i + 41}; }\n`).join(''));
    await has(page, '#verdict', 'one: accepted');
    await page.selectOption('#entry', 'two');
    await has(page, '#verdict', 'two: accepted');
    await page.fill('#data-of_two', 'size:1');
    await page.click('#run-server');
    await page.click('button[data-view="table"]');
    await has(page, '#view', '42');
    await page.click('#share');
    await page.waitForFunction(() => location.hash.startsWith('#code='), null, PATIENCE);
    await page.reload();
    await has(page, '#verdict', 'two: accepted');
    assert.equal(await page.inputValue('#data-of_two'), 'size:1');
    await assertAccessible(page);
}));

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

test('playground: a damaged link says so', { skip: noChromium }, () => visit('/playground#code=AAAA', 'none', async (page) => {
    await has(page, '#verdict', 'This link is damaged');
    assert.match(await page.inputValue('textarea[aria-label="WGSL source"]'), /fn saxpy/);
}));

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
        for (const id of ['tests', 'device', 'speeds', 'sizes']) assert.match(await page.textContent(`#${id}`), /yet|none/);
    });
});

test('GPU test: a lost device is opened again', { skip: noChromium }, () => visit('/gpu-test/', 'webgpu', async (page) => {
    await has(page, '#summary', '13 of 13 passed');
    await (await page.context().browser().newBrowserCDPSession()).send('Browser.crashGpuProcess');
    await has(page, '#gpu-status', 'the device was lost');
    for (;;) {                                  // until the browser has started its GPU process again
        await page.click('#run-tests');
        await page.waitForSelector('#run-tests:enabled', PATIENCE);
        if (/WebGPU: ready/.test(await page.textContent('#gpu-status'))) break;
        await page.waitForTimeout(200);
    }
    assert.equal(await page.textContent('#summary'), '13 of 13 passed');
}));

test('chat: without a model it says how to serve one', { skip: noChromium }, async () => {
    const { page, close } = await chromium('none');
    try {
        await page.goto(`${server.url}/chat`);
        await has(page, '#empty', 'weft serve --model FILE.gguf');
        assert.ok(await page.isDisabled('#send') && await page.isDisabled('#input'));
        await assertAccessible(page);
    } finally {
        await close();
    }
});

/** A chat page whose server answers with these events, the last of them never ending if `open`. */
async function chatWith(events, work, { open = false, status = 200 } = {}) {
    const { page, errors, close } = await chromium('none');
    try {
        await page.addInitScript(([list, stays, code]) => {
            const ask = window.fetch;
            window.fetch = async (path, options) => {
                if (path === '/v1/models') return new Response('{"data":[{"id":"a model"}]}');
                if (path !== '/v1/chat/completions') return ask(path, options);
                window.asked = JSON.parse(options.body);
                if (code !== 200) return new Response('{"error":{"kind":"memory","message":"the model is busy"}}', { status: code });
                return new Response(new ReadableStream({ start(stream) {
                    for (const one of list) stream.enqueue(new TextEncoder().encode(`data: ${one}\n\n`));
                    options.signal.addEventListener('abort', () => stream.error(options.signal.reason));
                    if (!stays) stream.close();
                } }));
            };
        }, [events, open, status]);
        await page.goto(`${server.url}/chat`);
        await has(page, '#model', 'a model');
        await page.fill('#input', 'Tell me <b>all</b>');
        await page.keyboard.press('Enter');
        await work(page);
        await assertAccessible(page);
        assert.deepEqual(errors, []);
    } finally {
        await close();
    }
}

const said = (content, finish) => JSON.stringify({ choices: [{ delta: content ? { content } : {}, finish_reason: finish ?? null }] });

test('chat: an answer is text, whatever it contains, and says why it ends', { skip: noChromium }, () => chatWith(
    [said('# One <img src=x onerror=alert(1)>\n'), said('two'.repeat(2000)), said('', 'length'), '{"choices":[],"usage":{"completion_tokens":4711}}', '[DONE]'], async (page) => {
        await has(page, '#speed', '4711 tokens, ');
        await has(page, '.message.assistant', 'The limit of tokens ends it here.');
        assert.match(await page.textContent('.message.assistant'), /^# One <img src=x onerror=alert\(1\)>\ntwotwo/);
        assert.equal(await page.textContent('.message.user'), 'Tell me <b>all</b>');
        assert.equal(await page.locator('.message img, .message b').count(), 0);
        assert.deepEqual(await page.evaluate(() => [document.documentElement.scrollWidth <= innerWidth, document.documentElement.scrollHeight <= innerHeight]), [true, true]);
        await page.fill('#input', 'And then?');
        await page.keyboard.press('Enter');
        await page.waitForFunction(() => window.asked.messages.length === 3, null, PATIENCE);
        assert.deepEqual(await page.evaluate(() => window.asked.messages.map(({ role }) => role)), ['user', 'assistant', 'user']);
    }));

test('chat: stop ends an answer, and a new chat forgets it', { skip: noChromium }, () => chatWith(
    [said('It goes'), said(' on')], async (page) => {
        await has(page, '.message.assistant', 'It goes on');
        await page.click('#stop');
        await has(page, '.message.assistant', 'Stopped.');
        await page.waitForSelector('#send:enabled', PATIENCE);
        await page.click('#clear');
        assert.equal(await page.locator('.message').count(), 0);
        await page.fill('#input', 'Again');
        await page.keyboard.press('Enter');
        await page.waitForFunction(() => window.asked.messages[0].content === 'Again', null, PATIENCE);
        await page.click('#clear');                             // while it answers
        await page.waitForSelector('#send:enabled', PATIENCE);
        await page.fill('#input', 'Third');
        await page.keyboard.press('Enter');
        await page.waitForFunction(() => window.asked.messages.length === 1 && window.asked.messages[0].content === 'Third', null, PATIENCE);
    }, { open: true }));

test('chat: an error keeps what was said so far, or gives the question back', { skip: noChromium }, async () => {
    await chatWith([said('Half an'), '{"error":{"message":"out of memory"}}'], async (page) => {
        await has(page, '#trouble', 'out of memory');
        assert.match(await page.textContent('.message.assistant'), /Half an.*broke off/);
    });
    await chatWith([said('Cut')], (page) => has(page, '#trouble', 'the server ended it early'));
    await chatWith([], async (refused) => {
        await has(refused, '#trouble', 'the model is busy');
        assert.equal(await refused.inputValue('#input'), 'Tell me <b>all</b>');
        assert.equal(await refused.locator('.message').count(), 0);
    }, { status: 503 });
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
