// SPDX-License-Identifier: Apache-2.0
// examples.js - kernels of examples/ with data to run them on.
//
// data: by binding, as values.js reads it. view: how the result is shown first.

export const EXAMPLES = [
    { file: 'saxpy', title: 'saxpy: a x + y', data: { a: '2', x: '0..999', y: 'ones:1000' }, view: 'plot' },
    { file: 'mandelbrot', title: 'Mandelbrot set', workgroups: '48, 32',
      data: { view: '-0.6, 0, 0.0075, 500, 384, 256', pixels: 'size:384x256' }, view: 'picture', width: 384 },
    { file: 'life', title: 'Game of life', workgroups: '16, 16',
      data: { size: '128, 128', now: 'random:128x128:3:0:1.4', next: 'size:128x128' }, view: 'picture', width: 128 },
    { file: 'matmul', title: 'Matrix product', workgroups: '16, 16',
      data: { shape: '256, 256, 256', a: 'random:256x256', b: 'random:256x256:2', c: 'size:256x256' },
      view: 'picture', width: 256 },
    { file: 'histogram', title: 'Histogram of bytes', workgroups: '64',
      data: { words: 'random:65536:1:0:4294967295', counts: 'zeros:256' }, view: 'plot' },
    { file: 'reduce', title: 'Sum of many numbers', workgroups: '16', constants: 'group_size=64',
      data: { values: '1..65536', sums: 'size:16' }, view: 'table' },
];

export async function load(example) {
    const response = await fetch(`/examples/${example.file}.wgsl`);
    if (!response.ok) throw new Error(`${example.file}.wgsl: ${response.status}`);
    return (await response.text()).replace(/^\/\/ SPDX[^\n]*\n(\/\/\n)?/, '');
}
