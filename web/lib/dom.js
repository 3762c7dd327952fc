// SPDX-License-Identifier: Apache-2.0
// dom.js - small helpers that write to the document only what changed.

/** The element with this id; it must exist. */
export function get(id) {
    const found = document.getElementById(id);
    if (!found) throw new Error(`no element #${id}`);
    return found;
}

/** Makes an element: el('td', { class: 'number' }, 'text', child). Properties that start with
 *  "on" are listeners, `style` is CSS; false and null leave an attribute out. */
export function el(tag, attributes = {}, ...children) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
        if (name.startsWith('on')) made.addEventListener(name.slice(2), value);
        else if (name === 'style') made.style.cssText = value ?? '';     // as an attribute the page's policy refuses it
        else if (value !== false && value != null) made.setAttribute(name, value === true ? '' : value);
    }
    made.append(...children.filter((child) => child != null));
    return made;
}

/** Makes an element of a drawing, with text or other such elements inside. */
export function svg(tag, attributes = {}, ...children) {
    const made = document.createElementNS('http://www.w3.org/2000/svg', tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    made.append(...children);
    return made;
}

/** Sets the text of an element if it differs. */
export function text(target, value) {
    const string = String(value);
    if (target.textContent !== string) target.textContent = string;
}

/** Sets an attribute if it differs; null removes it. */
export function attribute(target, name, value) {
    if (value == null) target.removeAttribute(name);
    else if (target.getAttribute(name) !== String(value)) target.setAttribute(name, value);
}

/** Calls `run` once, `ms` after the last call. */
export function debounce(ms, run) {
    let timer = 0;
    return (...values) => {
        clearTimeout(timer);
        timer = setTimeout(() => run(...values), ms);
    };
}

const colours = new Map();              // as they were resolved; empty after a change of the scheme

if (globalThis.document) {
    document.addEventListener('weft-theme', () => colours.clear());
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => colours.clear());
}

/** A colour of theme.css as the browser resolves it now: "rgb(11, 95, 189)". */
export function colour(name) {
    if (!colours.has(name)) {
        const probe = el('span', { style: `color: var(--${name})`, hidden: true });
        document.body.append(probe);
        colours.set(name, getComputedStyle(probe).color);
        probe.remove();
    }
    return colours.get(name);
}

/** Fits a canvas to its box in device pixels. True if its size changed. */
export function fit(canvas) {
    const scale = Math.min(window.devicePixelRatio || 1, 2);
    const width = Math.max(1, Math.round(canvas.clientWidth * scale));
    const height = Math.max(1, Math.round(canvas.clientHeight * scale));
    if (canvas.width === width && canvas.height === height) return false;
    canvas.width = width;
    canvas.height = height;
    return true;
}

/** Resolves once the page is drawn or hidden, so that long work does not delay its first paint. */
export function drawn() {
    return new Promise((resolve) => {
        requestAnimationFrame(() => setTimeout(resolve));
        setTimeout(resolve, 500);
    });
}

/** Saves bytes or text as a file of the user's. */
export function download(name, type, data) {
    const url = URL.createObjectURL(new Blob([data], { type }));
    el('a', { href: url, download: name }).click();
    setTimeout(() => URL.revokeObjectURL(url), 1000);
}
