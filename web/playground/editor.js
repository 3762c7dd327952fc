// SPDX-License-Identifier: Apache-2.0
// editor.js - a text area with coloured WGSL below it, line numbers and marked diagnostics.

import { el, text } from '../lib/dom.js';
import { tokens } from './highlight.js';

/** Positions at which the look of the text changes, so that runs can be cut there. */
function cuts(length, ...lists) {
    const at = new Set([0, length]);
    for (const list of lists)
        for (const { start, end } of list) { at.add(start); at.add(end); }
    return [...at].filter((n) => n <= length).sort((a, b) => a - b);
}

function classAt(list, position) {
    const found = list.find(({ start, end }) => start <= position && position < end);
    return found ? found.kind : '';
}

export class Editor {
    /** @param {HTMLElement} box  @param {(source: string) => void} onChange */
    constructor(box, onChange) {
        this.marks = [];
        this.lines = el('div', { class: 'lines', 'aria-hidden': true });
        this.shown = el('pre', { 'aria-hidden': true });
        this.input = el('textarea', {
            'aria-label': 'WGSL source', spellcheck: 'false', autocapitalize: 'off', autocomplete: 'off', wrap: 'off',
        });
        box.append(this.lines, el('div', { class: 'stage' }, this.shown, this.input));
        this.input.addEventListener('input', () => { this.marks = []; this.draw(); onChange(this.source); });
        this.input.addEventListener('keydown', (event) => this.onKey(event));
    }

    get source() { return this.input.value; }

    set source(value) {
        this.input.value = value;
        this.marks = [];
        this.draw();
    }

    /** Tab indents by two; Escape then Tab leaves the editor, for those who use the keyboard. */
    onKey(event) {
        if (event.key === 'Escape') this.leaving = true;
        else if (event.key !== 'Tab') this.leaving = false;
        if (event.key !== 'Tab' || event.shiftKey || this.leaving) return;
        event.preventDefault();
        this.input.setRangeText('  ', this.input.selectionStart, this.input.selectionEnd, 'end');
        this.input.dispatchEvent(new Event('input'));
    }

    /** Where a line and column (both from 1) are in the text. */
    offset(line, column) {
        let at = 0;
        for (let n = 1; n < line; n++) {
            const end = this.source.indexOf('\n', at);
            if (end < 0) break;
            at = end + 1;
        }
        return Math.min(at + column - 1, this.source.length);
    }

    /** Underlines diagnostics: [{ severity, line, column, length }]. */
    mark(diagnostics) {
        this.marks = diagnostics.map(({ severity, line, column, length }) => {
            const start = this.offset(line, column);
            return { start, end: start + Math.max(1, length || 1), kind: severity };
        });
        this.draw();
    }

    select(line, column, length) {
        const start = this.offset(line, column);
        this.input.focus();
        this.input.setSelectionRange(start, start + Math.max(1, length || 1));
    }

    draw() {
        const source = this.source, coloured = tokens(source);
        const at = cuts(source.length, coloured, this.marks);
        const runs = [];
        let next = 0;                               // tokens are in order: no search from the start
        for (let i = 0; i + 1 < at.length; i++) {
            while (next < coloured.length && coloured[next].end <= at[i]) next++;
            const token = coloured[next]?.start <= at[i] ? coloured[next].kind : '';
            const look = `${token} ${classAt(this.marks, at[i])}`.trim();
            const part = source.slice(at[i], at[i + 1]);
            runs.push(look ? el('span', { class: look }, part) : part);
        }
        this.shown.replaceChildren(...runs, '\n');
        const count = source.split('\n').length;
        text(this.lines, Array.from({ length: count }, (_, i) => i + 1).join('\n'));
    }
}
