// SPDX-License-Identifier: Apache-2.0
// layout.js - how the numbers of a binding lie in memory, from its WGSL type.
//
// The server's check names the type of each binding; members of structures are read from the
// text. Only types made of 32-bit scalars, and f16 alone in arrays, are understood: others take
// bytes.

const SCALARS = { f32: 4, i32: 4, u32: 4, f16: 2 };
const SUFFIX = { f: 'f32', i: 'i32', u: 'u32', h: 'f16' };

const roundUp = (n, to) => Math.ceil(n / to) * to;

/** { scalar, offsets, size, align } of one value of a plain type, in bytes; null if unknown. */
function plain(type) {
    let found = /^(?:atomic<)?([fiu]32|f16)>?$/.exec(type);
    if (found) return { scalar: found[1], offsets: [0], size: SCALARS[found[1]], align: SCALARS[found[1]] };
    found = /^vec([234])(?:<\s*([fiu]32|f16)\s*>|([fiuh]))$/.exec(type);
    if (found) {
        const scalar = found[2] ?? SUFFIX[found[3]], n = Number(found[1]), size = SCALARS[scalar];
        return { scalar, offsets: Array.from({ length: n }, (_, i) => i * size), size: n * size,
                 align: (n === 3 ? 4 : n) * size };
    }
    found = /^mat([234])x([234])(?:<\s*(f32|f16)\s*>|([fh]))$/.exec(type);
    if (!found) return null;
    const column = plain(`vec${found[2]}<${found[3] ?? SUFFIX[found[4]]}>`);
    const stride = roundUp(column.size, column.align), offsets = [];
    for (let c = 0; c < Number(found[1]); c++) offsets.push(...column.offsets.map((o) => c * stride + o));
    return { scalar: column.scalar, offsets, size: stride * Number(found[1]), align: column.align };
}

/** The members of `struct NAME { ... }`: [[name, type], ...]; null if there is none. */
function members(source, name) {
    const bare = source.replace(/\/\/[^\n]*/g, '');
    const body = new RegExp(`struct\\s+${name}\\s*\\{([^}]*)\\}`).exec(bare)?.[1];
    if (!body) return null;
    return [...body.matchAll(/(?:@\w+(?:\([^)]*\))?\s*)*([A-Za-z_]\w*)\s*:\s*([^,;]+?)\s*(?:[,;]|$)/g)]
        .map((m) => [m[1], m[2].trim()]);
}

/** The slots of one value: [{ name, scalar, offset }] with its size; null if not understood. */
function value(source, type) {
    const one = plain(type);
    if (one) return { slots: one.offsets.map((offset) => ({ scalar: one.scalar, offset })), size: one.size, align: one.align };
    const parts = /^\w+$/.test(type) ? members(source, type) : null;
    if (!parts) return null;
    const slots = [];
    let size = 0, align = 4;
    for (const [name, member] of parts) {
        const inner = plain(member);
        if (!inner) return null;
        size = roundUp(size, inner.align);
        slots.push(...inner.offsets.map((o) => ({ name, scalar: inner.scalar, offset: size + o })));
        size += inner.size;
        align = Math.max(align, inner.align);
    }
    return { slots, size: roundUp(size, align), align, names: parts.map(([name, member]) => `${name} : ${member}`) };
}

/**
 * The layout of a binding: { slots, stride, count } where count is null for an array that has
 * the length of its data; null if the type is not understood.
 */
export function layout(source, type) {
    const array = /^array<\s*(.+?)\s*(?:,\s*(\d+)\s*)?>$/.exec(type);
    const inner = value(source, (array ? array[1] : type).trim());
    if (!inner) return null;
    const stride = array ? roundUp(inner.size, inner.align) : inner.size;
    return { ...inner, stride, count: !array ? 1 : array[2] ? Number(array[2]) : null, isArray: Boolean(array) };
}

const WRITE = {
    f32: (view, at, x) => view.setFloat32(at, x, true),
    i32: (view, at, x) => view.setInt32(at, x, true),
    u32: (view, at, x) => view.setUint32(at, x, true),
    f16: (view, at, x) => view.setUint16(at, toHalf(x), true),
};

const READ = {
    f32: (view, at) => view.getFloat32(at, true),
    i32: (view, at) => view.getInt32(at, true),
    u32: (view, at) => view.getUint32(at, true),
    f16: (view, at) => fromHalf(view.getUint16(at, true)),
};

/** Numbers to bytes. `numbers` has a value for each slot of each element. */
export function pack(shape, numbers) {
    const each = shape.slots.length;
    const count = shape.count ?? Math.max(1, Math.ceil(numbers.length / each));
    const bytes = new Uint8Array(roundUp(count * shape.stride, 4)), view = new DataView(bytes.buffer);
    for (let i = 0; i < Math.min(numbers.length, count * each); i++) {
        const slot = shape.slots[i % each];
        WRITE[slot.scalar](view, Math.floor(i / each) * shape.stride + slot.offset, numbers[i]);
    }
    return bytes;
}

/** Bytes to numbers, in the order of pack(). */
export function unpack(shape, bytes) {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const count = Math.floor((bytes.byteLength + shape.stride - shape.size) / shape.stride);
    const numbers = new Float64Array(count * shape.slots.length);
    let n = 0;
    for (let i = 0; i < count; i++)
        for (const slot of shape.slots) numbers[n++] = READ[slot.scalar](view, i * shape.stride + slot.offset);
    return numbers;
}

export function fromHalf(bits) {
    const sign = bits & 0x8000 ? -1 : 1, exponent = bits >> 10 & 31, fraction = bits & 1023;
    if (exponent === 31) return fraction ? NaN : sign * Infinity;
    return exponent ? sign * 2 ** (exponent - 15) * (1 + fraction / 1024) : sign * 2 ** -14 * (fraction / 1024);
}

/** Rounds to the nearest f16, ties to even. */
export function toHalf(x) {
    if (Number.isNaN(x)) return 0x7e00;
    const sign = x < 0 || Object.is(x, -0) ? 0x8000 : 0, size = Math.abs(x);
    if (size >= 65520) return sign | 0x7c00;
    const exponent = size < 2 ** -14 ? -14 : Math.floor(Math.log2(size));
    const scaled = size / 2 ** (exponent - 10);
    let rounded = Math.floor(scaled);
    if (scaled - rounded > 0.5 || scaled - rounded === 0.5 && rounded & 1) rounded++;
    return sign | (size < 2 ** -14 ? rounded : ((exponent + 15) << 10) + rounded - 1024);
}
