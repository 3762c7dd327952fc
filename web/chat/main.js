// SPDX-License-Identifier: Apache-2.0
// main.js - a chat with a model that this server runs.

import { el, get, text } from '../lib/dom.js';
import { ApiError, getJson, request } from '../lib/api.js';
import { digits } from '../lib/format.js';
import { pieces } from './stream.js';

const NEAR_END = 40;                    // pixels: a reader who is that near the end follows the answer

let chat = [];                          // { role, content } as the server wants them
let running = null;                     // AbortController of the answer that is written

function trouble(message) {
    get('trouble').hidden = !message;
    text(get('trouble'), message ?? '');
}

/** What stands in the place of the messages while there are none. */
function showEmpty(title, ...words) {
    get('empty').hidden = Boolean(chat.length);
    if (title) get('empty').replaceChildren(el('h2', {}, title), el('p', {}, ...words));
}

function toEnd() {
    get('messages').scrollTop = get('messages').scrollHeight;
}

/** Adds to the end, and shows it to those who read there. */
function add(target, piece) {
    const { scrollTop, scrollHeight, clientHeight } = get('messages'), follows = scrollHeight - scrollTop - clientHeight < NEAR_END;
    target.append(piece);
    if (follows) toEnd();
}

function bubble(role, content) {
    const made = el('div', { class: `message ${role}`, dir: 'auto' }, content);
    get('messages').append(made);
    toEnd();
    return made;
}

function setRunning(controller) {
    running = controller;
    get('send').disabled = Boolean(controller) || !get('model').value;
    get('stop').disabled = !controller;
}

/** The number in a field within its limits; what it began with if there is none. */
function numberOf(id) {
    const { value, min, max, defaultValue } = get(id), number = value.trim() === '' ? NaN : Number(value);
    return Math.max(Number(min), Math.min(Number(max), Number.isFinite(number) ? number : Number(defaultValue)));
}

async function ask(signal) {
    return request('/v1/chat/completions', {
        method: 'POST', signal, headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({
            model: get('model').value, messages: chat, stream: true, stream_options: { include_usage: true },
            temperature: numberOf('temperature'), max_tokens: Math.round(numberOf('tokens')),
        }),
    });
}

function showSpeed(tokens, began) {
    const seconds = (performance.now() - began) / 1e3;
    if (tokens > 1) text(get('speed'), `${tokens} tokens, ${digits(tokens / seconds)} tokens/s`);
}

/** Writes the pieces of an answer as they come. Returns the whole text and why it ended early. */
async function write(made, signal) {
    let whole = '', tokens = 0, began = 0, why = null;
    try {
        for await (const { piece, finish, tokens: all } of pieces(await ask(signal))) {
            if (finish === 'length') why = 'The limit of tokens ends it here.';
            if (all && began) showSpeed(all, began);        // a piece may have had several
            if (!piece) continue;
            began ||= performance.now();
            whole += piece;
            add(made, piece);
            showSpeed(++tokens, began);
        }
    } catch (error) {
        why = error.name === 'AbortError' ? 'Stopped.' : 'It broke off here.';
        if (error.name !== 'AbortError') trouble(error instanceof ApiError ? error.message : `The answer broke off: ${error.message}`);
    }
    return { whole, why };
}

async function answer() {
    const controller = new AbortController(), made = bubble('assistant', ''), mine = chat;
    setRunning(controller);
    made.classList.add('waiting');
    get('messages').setAttribute('aria-busy', 'true');      // read out when it is complete
    const { whole, why } = await write(made, controller.signal);
    get('messages').removeAttribute('aria-busy');
    made.classList.remove('waiting');
    if (whole) mine.push({ role: 'assistant', content: whole });
    if (whole && why) add(made, el('span', { class: 'note' }, why));
    if (!whole) takeBack(made, mine);
    if (running === controller) setRunning(null);
}

/** Without an answer the question returns to where it was written. */
function takeBack(made, mine) {
    made.previousElementSibling?.remove();
    made.remove();
    const { content } = mine.pop() ?? {};
    if (mine === chat && content && !get('input').value) get('input').value = content;
    showEmpty();
}

async function send(event) {
    event?.preventDefault();
    const content = get('input').value.trim();
    if (!content || running || !get('model').value) return;
    trouble(null);
    get('input').value = '';
    chat.push({ role: 'user', content });
    showEmpty();
    bubble('user', content);
    await answer();
    get('input').focus();
}

function clear() {
    running?.abort();
    setRunning(null);
    chat = [];
    get('messages').replaceChildren();
    text(get('speed'), '');
    trouble(null);
    showEmpty();
    get('input').focus();
}

async function showModels() {
    const { data = [] } = await getJson('/v1/models').catch((error) => {
        if (error.status === 404) return {};
        throw error;
    });
    get('model').append(...data.map(({ id }) => el('option', {}, id)));
    get('model-field').hidden = !data.length;
    if (data.length) showEmpty('Ask something', 'The answer appears as it is made. Nothing is kept: a reload begins anew.');
    else showEmpty('No language model', 'This server runs none. Start it with one: ', el('code', {}, 'weft serve --model FILE.gguf'));
    for (const id of ['input', 'temperature', 'tokens', 'clear']) get(id).disabled = !data.length;
    for (const id of ['temperature', 'tokens']) get(id).parentElement.hidden = !data.length;
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
        await showModels();
    } catch (error) {
        trouble(error.message);
    }
    setRunning(null);
}

start();
