// SPDX-License-Identifier: Apache-2.0
// browser.mjs - what the tests in browsers share: a server with the pages, browsers that draw in
// software, and the check of accessibility.
import assert from 'node:assert';
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const require = createRequire(join(process.env.WEFT_NPM, 'package.json'));
const QUIET = ['--no-sandbox', '--no-first-run', '--disable-background-networking', '--disable-component-update',
    '--disable-sync', '--disable-quic'];

/* What Chromium draws with. */
const MODES = {
    webgpu: ['--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--enable-unsafe-webgpu', '--ignore-gpu-blocklist',
        '--enable-gpu', '--enable-features=Vulkan', '--use-vulkan=swiftshader', '--use-webgpu-adapter=swiftshader'],
    webgl: ['--disable-features=WebGPU,WebGPUService', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'],
    none: ['--disable-features=WebGPU,WebGPUService', '--disable-gpu', '--disable-3d-apis'],
};

const CHROMIUM = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);
const FIREFOX = ['/usr/bin/firefox-esr', '/usr/bin/firefox'].find(existsSync);

/** For a machine that is busy with other things. */
export const PATIENCE = { timeout: 300000 };

/** Why a browser cannot be used, for `skip` of node:test; false if it can. */
export const noChromium = CHROMIUM ? false : 'Chromium is not installed';
export const noFirefox = FIREFOX ? false : 'Firefox is not installed';

/** Starts `weft serve` on a free port in a folder of its own. */
export async function serve(...settings) {
    const data = mkdtempSync(join(tmpdir(), 'weft-web-'));
    const wanted = ['server.listen=127.0.0.1:0', 'server.metrics_listen=off', 'server.log_level=warn', ...settings];
    const child = spawn(process.env.WEFT, ['serve', '--data', data, ...wanted.flatMap((setting) => ['--set', setting])],
        { stdio: ['ignore', 'pipe', 'inherit'] });
    const ended = new Promise((resolve) => child.once('exit', resolve));
    const url = await new Promise((resolve, reject) => {
        createInterface({ input: child.stdout }).on('line', (line) => {
            const found = /listening on (\S+)/.exec(line);
            if (found) resolve(found[1]);
        });
        ended.then((status) => reject(new Error(`weft serve ended with ${status}`)));
    });
    return { url, async close() {
        child.kill('SIGTERM');
        assert.equal(await ended, 0);
        rmSync(data, { recursive: true, force: true });
    } };
}

/** A page in Chromium. Errors of the page and of its console are collected in `errors`. */
export async function chromium(mode, options = {}) {
    const browser = await require('playwright-core').chromium.launch({ executablePath: CHROMIUM, args: [...QUIET, ...MODES[mode]], ...PATIENCE });
    const page = await (await browser.newContext({ viewport: { width: 1200, height: 800 }, ...options })).newPage();
    const errors = [];
    page.setDefaultTimeout(PATIENCE.timeout);
    page.on('pageerror', (error) => errors.push(error.message));
    page.on('console', (message) => { if (message.type() === 'error') errors.push(message.text()); });
    return { page, errors, close: () => browser.close() };
}

/** The same in Firefox, with puppeteer's names. */
export async function firefox() {
    const browser = await require('puppeteer-core').launch({
        browser: 'firefox', executablePath: FIREFOX, headless: true, ...PATIENCE, protocolTimeout: PATIENCE.timeout,
        extraPrefsFirefox: { 'dom.webgpu.enabled': true, 'gfx.webgpu.ignore-blocklist': true } });
    const page = await browser.newPage(), errors = [];
    page.setDefaultTimeout(PATIENCE.timeout);
    await page.setViewport({ width: 1200, height: 800 });
    page.on('pageerror', (error) => errors.push(error.message));
    return { page, errors, close: () => browser.close() };
}

/** Fails with the findings of axe-core that are serious. */
export async function assertAccessible(page) {
    await page.evaluate(readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8'));
    const { violations } = await page.evaluate(() => window.axe.run());
    const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
    assert.deepEqual(serious.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`), []);
}
