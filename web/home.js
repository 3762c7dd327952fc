// SPDX-License-Identifier: Apache-2.0
// home.js - what the server does now, and how programs reach it.

import { el, get, text } from './lib/dom.js';
import { getJson } from './lib/api.js';

const INTERVAL = 2000;
const FIGURES = [['state', 'state of the server'], ['running', 'jobs running'], ['queued', 'jobs waiting'], ['done', 'jobs done'], ['workers', 'workers free']];
const values = new Map();               // elements of the figures

function build() {
    get('now').append(...FIGURES.map(([name, label]) => {
        values.set(name, el('div', { class: 'value' }, '–'));
        return el('div', { class: 'card' }, values.get(name), el('div', { class: 'small soft' }, label));
    }));
    get('now').after(el('p', { id: 'trouble', class: 'bad', role: 'alert', hidden: true }));
    const { origin } = location;
    text(get('terminal'), `curl ${origin}/v1/state\nWEFT_SERVER=${origin} weft submit kernel.wgsl --in x=1,2,3 --out y=f32:3`);
}

async function show() {
    try {
        const { state, workers, jobs } = await getJson('/v1/state');
        const now = { state, ...jobs, workers: `${workers.ready} of ${workers.total}` };
        for (const [name, value] of values) text(value, now[name]);
        get('trouble').hidden = true;
    } catch (error) {
        for (const value of values.values()) text(value, '–');
        text(get('trouble'), error.message);
        get('trouble').hidden = false;
    }
    setTimeout(show, INTERVAL);
}

build();
show();
