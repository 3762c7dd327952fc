// SPDX-License-Identifier: Apache-2.0
// main.js - a chat with a model that this server runs.

import { el, get, text } from '../lib/dom.js';
import { getJson, request } from '../lib/api.js';
import { digits } from '../lib/format.js';
import { pieces } from './stream.js';

const chat = [];                        // { role, content } as the server wants them
let running = null;                     // AbortController of the answer that is written

function trouble(message) {
    get('trouble').hidden = !message;
    text(get('trouble'), message ?? '');
}

function bubble(role, content) {
    const made = el('div', { class: `message ${role}` }, content);
    get('messages').append(made);
    made.scrollIntoView({ block: 'end' });
    return made;
}

function setRunning(controller) {
    running = controller;
    get('send').disabled = Boolean(controller) || !get('model').value;
    get('stop').disabled = !controller;
}

async function ask(signal) {
    return request('/v1/chat/completions', {
        method: 'POST', signal, headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({
            model: get('model').value, messages: chat, stream: true,
            temperature: Number(get('temperature').value), max_tokens: Number(get('tokens').value),
        }),
    });
}

function showSpeed(tokens, began) {
    const seconds = (performance.now() - began) / 1e3;
    if (tokens > 1) text(get('speed'), `${tokens} tokens, ${digits(tokens / seconds)} tokens/s`);
}

async function answer() {
    const controller = new AbortController(), made = bubble('assistant', '');
    setRunning(controller);
    made.classList.add('waiting');
    let whole = '', tokens = 0, began = 0;
    try {
        for await (const piece of pieces(await ask(controller.signal))) {
            began ||= performance.now();
            tokens++;
            whole += piece;
            made.append(piece);
            made.scrollIntoView({ block: 'end' });
            showSpeed(tokens, began);
        }
    } catch (error) {
        if (error.name !== 'AbortError') trouble(error.message);
    }
    made.classList.remove('waiting');
    if (whole) chat.push({ role: 'assistant', content: whole });
    else made.remove();
    setRunning(null);
}

async function send(event) {
    event?.preventDefault();
    const content = get('input').value.trim();
    if (!content || running || !get('model').value) return;
    trouble(null);
    get('input').value = '';
    chat.push({ role: 'user', content });
    bubble('user', content);
    await answer();
    get('input').focus();
}

function clear() {
    running?.abort();
    chat.length = 0;
    get('messages').replaceChildren();
    text(get('speed'), '');
    trouble(null);
}

async function start() {
    get('form').addEventListener('submit', send);
    get('stop').addEventListener('click', () => running?.abort());
    get('clear').addEventListener('click', clear);
    get('input').addEventListener('keydown', (event) => {
        if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) send(event);
        if (event.key === 'Escape') running?.abort();
    });
    try {
        const { data = [] } = await getJson('/v1/models');
        get('model').append(...data.map(({ id }) => el('option', {}, id)));
        if (!data.length) throw Object.assign(new Error(), { status: 404 });
    } catch (error) {
        trouble(error.status === 404 ? 'This server runs no language model: start it with weft serve --model FILE.gguf' : error.message);
    }
    setRunning(null);
}

start();
