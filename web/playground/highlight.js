// SPDX-License-Identifier: Apache-2.0
// highlight.js - the colours of WGSL, as runs of text.

const KEYWORDS = new Set(('alias break case const const_assert continue continuing default diagnostic discard else '
    + 'enable fn for if let loop override requires return struct switch var while true false').split(' '));
const TYPE = /^(bool|[iu]32|f16|f32|f64|(vec[234]|mat[234]x[234])[ifuhd]?|array|atomic|ptr|sampler|texture_\w+)$/;
const TOKEN = /\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)|@[A-Za-z_]\w*|0[xX][\da-fA-F.]+(?:p[+-]?\d+)?[iufh]?|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?:lf|[iufh])?|[A-Za-z_]\w*/g;

function kindOf(token) {
    if (token.startsWith('//') || token.startsWith('/*')) return 'comment';
    if (token[0] === '@') return 'attribute';
    if (/[\d.]/.test(token[0])) return 'number';
    if (KEYWORDS.has(token)) return 'keyword';
    return TYPE.test(token) ? 'type' : '';
}

/** [{ start, end, kind }] of the tokens that have a colour. */
export function tokens(source) {
    const found = [];
    for (const match of source.matchAll(TOKEN)) {
        const kind = kindOf(match[0]);
        if (kind) found.push({ start: match.index, end: match.index + match[0].length, kind });
    }
    return found;
}
