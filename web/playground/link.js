// SPDX-License-Identifier: Apache-2.0
// link.js - the whole playground in the fragment of an address: it never reaches a server.

const MOST = 4 << 20;                   // bytes of a state: a small link can unpack to gigabytes

async function pipe(bytes, stream) {
    const parts = [], reader = new Blob([bytes]).stream().pipeThrough(stream).getReader();
    let size = 0;
    for (;;) {
        const { value, done } = await reader.read();
        if (done) break;
        size += value.length;
        if (size > MOST) {
            reader.cancel();
            throw new Error('this is too much for a link');
        }
        parts.push(value);
    }
    return new Uint8Array(await new Blob(parts).arrayBuffer());
}

export async function encode(state) {
    const packed = await pipe(new TextEncoder().encode(JSON.stringify(state)), new CompressionStream('deflate-raw'));
    let text = '';
    for (const byte of packed) text += String.fromCharCode(byte);
    return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
}

/** The state in a fragment; null if it holds none. */
export async function decode(fragment) {
    try {
        const text = atob(fragment.replaceAll('-', '+').replaceAll('_', '/'));
        const bytes = Uint8Array.from(text, (char) => char.charCodeAt(0));
        const state = JSON.parse(new TextDecoder().decode(await pipe(bytes, new DecompressionStream('deflate-raw'))));
        return typeof state?.wgsl === 'string' ? state : null;
    } catch {
        return null;
    }
}
