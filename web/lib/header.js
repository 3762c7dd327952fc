// SPDX-License-Identifier: Apache-2.0
// header.js - <weft-header page="vectors">: the way between the pages, the colour scheme, the
// key, and a warning in browsers that the operator does not list.

import { el, svg } from './dom.js';
import { getJson, key } from './api.js';

const PAGES = [
    ['vectors', 'Vectors', '/vectors'],
    ['dashboard', 'Dashboard', '/dashboard'],
    ['playground', 'Playground', '/playground'],
    ['gpu-test', 'GPU test', '/gpu-test/'],
    ['chat', 'Chat', '/chat'],
];
const SCHEME = 'weft-theme';

/** The family of this browser, as browser_support names it. */
export function browserFamily(agent = navigator.userAgent) {
    if (/Edg\//.test(agent)) return 'edge';
    if (/Firefox\//.test(agent)) return 'firefox';
    if (/Chrom(e|ium)\//.test(agent)) return 'chrome';
    return /Safari\//.test(agent) ? 'safari' : 'unknown';
}

function applyScheme(name) {
    if (name) document.documentElement.dataset.theme = name;
    else delete document.documentElement.dataset.theme;
    document.dispatchEvent(new CustomEvent('weft-theme'));
}

function isDark() {
    const chosen = document.documentElement.dataset.theme;
    return chosen ? chosen === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
}

function schemeButton() {
    const button = el('button', { type: 'button', class: 'quiet', title: 'Light or dark', 'aria-label': 'Change between light and dark' },
        svg('svg', { viewBox: '0 0 20 20', 'aria-hidden': 'true' },
            svg('circle', { cx: 10, cy: 10, r: 7, fill: 'none', stroke: 'currentColor', 'stroke-width': 1.75 }),
            svg('path', { d: 'M10 3a7 7 0 0 1 0 14z', fill: 'currentColor' })));
    button.addEventListener('click', () => {
        const next = isDark() ? 'light' : 'dark';
        localStorage.setItem(SCHEME, next);
        applyScheme(next);
    });
    return button;
}

function keyDialog() {
    const input = el('input', { type: 'password', id: 'weft-key', autocomplete: 'off', size: 40 });
    const dialog = el('dialog', { 'aria-labelledby': 'weft-key-title' },
        el('form', { method: 'dialog', class: 'stack' },
            el('h2', { id: 'weft-key-title' }, 'API key'),
            el('p', { class: 'small' }, key.get() ? 'The key that this tab has was refused. ' : 'This server asks for a key or a signed token. ',
                'It is kept in this tab only.'),
            el('label', { for: 'weft-key' }, 'Key ', input),
            el('div', { class: 'row' },
                el('button', { class: 'primary', value: 'save' }, 'Use this key'),
                el('button', { value: 'cancel', formnovalidate: true }, 'Cancel'))));
    dialog.addEventListener('close', () => {
        if (dialog.returnValue !== 'save') return;
        key.set(input.value.trim());
        location.reload();
    });
    return dialog;
}

class WeftHeader extends HTMLElement {
    connectedCallback() {
        const current = this.getAttribute('page');
        const dialog = keyDialog();
        this.append(
            el('a', { class: 'skip', href: '#main' }, 'Skip to the content'),
            el('header', { class: 'bar' },
                el('a', { class: 'brand', href: '/' }, el('img', { src: '/icon.svg', alt: '' }), 'Weft'),
                el('nav', { 'aria-label': 'Pages' }, ...PAGES.map(([id, name, href]) =>
                    el('a', { href, 'aria-current': id === current ? 'page' : null }, name))),
                el('button', { type: 'button', class: 'quiet', title: 'The API key of this tab', onclick: () => dialog.showModal() }, 'Key'),
                schemeButton()),
            dialog);
        document.addEventListener('weft-unauthorized', () => { if (!dialog.open) dialog.showModal(); },
            { once: true });
        this.warnOfBrowser();
    }

    async warnOfBrowser() {
        try {
            const { browser_support: listed = [] } = await getJson('/v1/state');
            const family = browserFamily();
            if (listed.length && !listed.includes(family))
                this.append(el('div', { class: 'notice warn', role: 'status' },
                    `This server's pages are made for ${listed.join(', ')}; they may not work in this browser.`));
        } catch { /* the page itself shows that the server does not answer */ }
    }
}

applyScheme(localStorage.getItem(SCHEME));
customElements.define('weft-header', WeftHeader);
