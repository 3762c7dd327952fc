// SPDX-License-Identifier: Apache-2.0
// The parts of the playground that need no document: data as people write it, memory layouts,
// links, colours of WGSL.
import assert from 'node:assert';
import { test } from 'node:test';
import { parse, random } from '../../web/playground/values.js';
import { fromHalf, layout, pack, toHalf, unpack } from '../../web/playground/layout.js';
import { decode, encode } from '../../web/playground/link.js';
import { bounds, channels, column, difference, exact } from '../../web/playground/result.js';
import { tokens } from '../../web/playground/highlight.js';

test('numbers, ranges and forms', () => {
    assert.deepEqual([...parse('1, 2.5 -3')], [1, 2.5, -3]);
    assert.deepEqual([...parse('0..3, 7')], [0, 1, 2, 3, 7]);
    assert.deepEqual([...parse('3..1')], [3, 2, 1]);
    assert.deepEqual([...parse('-1.5..0.5')], [-1.5, -0.5, 0.5]);
    assert.deepEqual([...parse('10u, 0.5f')], [10, 0.5]);
    assert.deepEqual([...parse('ones:2x2')], [1, 1, 1, 1]);
    assert.equal(parse('size:100').length, 100);
    assert.ok(Number.isNaN(parse('nan')[0]));
    assert.equal(parse('').length, 0);
});

test('random numbers repeat by seed and stay in range', () => {
    const a = parse('random:1000:7:-2:2');
    assert.deepEqual(a, random(1000, 7, -2, 2));
    assert.ok(a.every((x) => x >= -2 && x < 2));
    assert.ok(Math.abs(a.reduce((p, q) => p + q) / 1000) < 0.2);
    assert.notDeepEqual(a, parse('random:1000:8:-2:2'));
});

test('mistakes are sentences', () => {
    assert.throws(() => parse('1, x'), /'x' is not a number/);
    assert.throws(() => parse('ones:many'), /'many' is not a number of elements/);
    assert.throws(() => parse('twos:3'), /unknown form 'twos:': expected zeros:, size:, ones:, random:/);
    assert.throws(() => parse('zeros:99999x99999'), /more than/);
    assert.throws(() => parse('0..99999999'), /more than/);
});

test('layouts of plain types', () => {
    assert.equal(layout('', 'f32').stride, 4);
    assert.equal(layout('', 'array<vec3<f32>>').stride, 16);
    assert.equal(layout('', 'array<vec2f, 5>').count, 5);
    assert.equal(layout('', 'array<atomic<u32>, 256>').slots[0].scalar, 'u32');
    assert.deepEqual(layout('', 'mat3x3<f32>').slots.map((s) => s.offset), [0, 4, 8, 16, 20, 24, 32, 36, 40]);
    assert.equal(layout('', 'texture_2d<f32>'), null);
});

test('layouts of structures', () => {
    const source = 'struct View { centre : vec2f, scale : f32, // a comment, with : signs\n limit : u32, @align(8) size : vec2u }';
    const view = layout(source, 'View');
    assert.deepEqual(view.slots.map((s) => [s.name, s.scalar, s.offset]),
        [['centre', 'f32', 0], ['centre', 'f32', 4], ['scale', 'f32', 8], ['limit', 'u32', 12], ['size', 'u32', 16], ['size', 'u32', 20]]);
    assert.equal(view.size, 24);
    const bodies = layout('struct Body { position : vec3f, mass : f32, velocity : vec3f }', 'array<Body>');
    assert.equal(bodies.stride, 32);
    assert.equal(layout(source, 'Nothing'), null);
});

test('packing and unpacking', () => {
    const source = 'struct P { a : u32, b : f32 }';
    const bytes = pack(layout(source, 'P'), [7, 0.5]);
    assert.deepEqual([...bytes], [7, 0, 0, 0, 0, 0, 0, 63]);
    const rows = layout('', 'array<vec3<f32>>'), numbers = Float64Array.from([1, 2, 3, 4, 5, 6]);
    assert.deepEqual(unpack(rows, pack(rows, numbers)), numbers);
    const halves = layout('', 'array<f16>');
    assert.deepEqual([...unpack(halves, pack(halves, [1, -2, 0.5]).subarray(0, 6))], [1, -2, 0.5]);
});

test('half floats', () => {
    for (let bits = 0; bits < 0x10000; bits++) {
        const value = fromHalf(bits);
        if (!Number.isNaN(value)) assert.equal(toHalf(value), bits, `bits ${bits.toString(16)}`);
    }
    assert.equal(toHalf(1 + 2 ** -11), toHalf(1));              // a tie goes to even
    assert.equal(toHalf(1 + 3 * 2 ** -11), toHalf(1) + 2);
    assert.equal(toHalf(65520), 0x7c00);
    assert.equal(toHalf(NaN) & 0x7c00, 0x7c00);
});

test('links keep everything', async () => {
    const state = { wgsl: '// ünï\nfn main() {}', data: { x: '0..9' }, workgroups: 'auto', view: 'plot' };
    const fragment = await encode(state);
    assert.match(fragment, /^[\w-]+$/);
    assert.deepEqual(await decode(fragment), state);
    assert.equal(await decode('nonsense'), null);
    assert.equal(await decode(''), null);
});

test('colours of WGSL', () => {
    const source = '@compute fn f() { let x : vec3f = 1.5; /* note */ } // end';
    const words = tokens(source).map(({ start, end, kind }) => [source.slice(start, end), kind]);
    assert.deepEqual(words, [['@compute', 'attribute'], ['fn', 'keyword'], ['let', 'keyword'], ['vec3f', 'type'],
        ['1.5', 'number'], ['/* note */', 'comment'], ['// end', 'comment']]);
});

test('a link that unpacks to more than a page should hold is refused', async () => {
    const state = { wgsl: 'x'.repeat(1 << 20) };
    assert.deepEqual(await decode(await encode(state)), state);
    const huge = new Response(new Blob([`{"wgsl":"${'x'.repeat(64 << 20)}"}`]).stream().pipeThrough(new CompressionStream('deflate-raw')));
    assert.equal(await decode(Buffer.from(await huge.arrayBuffer()).toString('base64url')), null);
    await assert.rejects(encode({ wgsl: 'x'.repeat(5).padEnd(64 << 20, 'abcdefghijk'), data: Array.from({ length: 1 << 20 }, (_, i) => Math.sin(i)) }), /too much/);
});

test('plots: ends of the axis and columns of what is finite', () => {
    assert.deepEqual(bounds(Float64Array.of(NaN, -Infinity, 0, 0.5, Infinity)), [0, 0.5]);
    assert.deepEqual(bounds(Float64Array.of(3, 3)), [2, 4]);
    assert.deepEqual(bounds(Float64Array.of(NaN)), [-1, 1]);
    assert.deepEqual(column(Float64Array.of(7, 7, 7)), [7]);
    assert.deepEqual(column(Float64Array.of(2, NaN, -1)), [-1, 2]);
    assert.deepEqual(column(Float64Array.of(NaN, Infinity)), []);
});

test('packed colours are compared channel by channel', () => {
    const a = Float64Array.of(0xff000010, 0xffffffff), b = Float64Array.of(0xff000013, 0xffffffff);
    assert.deepEqual(difference(channels(a), channels(b)), { count: 1, most: 3 });
});

test('numbers of a table have the digits that an f32 has', () => {
    assert.deepEqual([0.1, 1 / 3, 1e-20, 123456.789, 1.5, 3e38].map((x) => exact(Math.fround(x))), ['0.1', '0.33333334', '1e-20', '123456.79', '1.5', '3e+38']);
    assert.deepEqual([131090432, 4294967295, -7, NaN, -Infinity].map(exact), ['131090432', '4294967295', '-7', 'NaN', '-Infinity']);
    for (let bits = 1; bits < 0x7f800000; bits += 0x1234567) {
        const [value] = new Float32Array(Uint32Array.of(bits).buffer);
        assert.equal(Math.fround(Number(exact(value))), value);
    }
});
