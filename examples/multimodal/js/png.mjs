// SPDX-License-Identifier: Apache-2.0
//
// png.mjs - pictures from PNG files.
//
// in     a file: 8 bits a channel, gray, RGB, palette, with or without alpha, not interlaced
// out    { width, height, rgb }
// knows  chunks and filters of PNG
// not    what is to be seen
import fs from 'node:fs';
import zlib from 'node:zlib';

const CHANNELS = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 };

const chunksOf = function* (bytes) {
  for (let at = 8; at + 12 <= bytes.length;) {
    const length = bytes.readUInt32BE(at);
    yield [bytes.toString('latin1', at + 4, at + 8), bytes.subarray(at + 8, at + 8 + length)];
    at += 12 + length;
  }
};

const paeth = (a, b, c) => {
  const p = a + b - c, pa = Math.abs(p - a), pb = Math.abs(p - b), pc = Math.abs(p - c);
  return pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
};

/** Rows without their filters; `step` is the bytes of a pixel. */
const unfilter = (packed, stride, height, step) => {
  const out = Buffer.alloc(stride * height);
  for (let y = 0; y < height; y++) {
    const filter = packed[y * (stride + 1)], row = y * stride;
    for (let x = 0; x < stride; x++) {
      const a = x >= step ? out[row + x - step] : 0, b = y > 0 ? out[row + x - stride] : 0, c = x >= step && y > 0 ? out[row + x - stride - step] : 0;
      const add = [0, a, b, (a + b) >> 1, paeth(a, b, c)][filter];
      if (add === undefined) throw new Error(`unknown filter ${filter}`);
      out[row + x] = packed[y * (stride + 1) + 1 + x] + add;
    }
  }
  return out;
};

export const readPng = (file) => {
  const bytes = fs.readFileSync(file), parts = [];
  if (bytes.length < 8 || bytes.readUInt32BE(0) !== 0x89504e47) throw new Error(`${file}: not a PNG file`);
  let head, palette;
  for (const [name, data] of chunksOf(bytes)) {
    if (name === 'IHDR') head = { width: data.readUInt32BE(0), height: data.readUInt32BE(4), bits: data[8], type: data[9], interlaced: data[12] };
    if (name === 'PLTE') palette = data;
    if (name === 'IDAT') parts.push(data);
  }
  const { width, height, bits, type, interlaced } = head ?? {};
  if (bits !== 8 || CHANNELS[type] === undefined || interlaced) throw new Error(`${file}: only PNG of 8 bits a channel, not interlaced, is read`);
  if (!(width > 0 && height > 0 && width * height <= 1e8)) throw new Error(`${file}: ${width} x ${height} pixels`);
  const channels = CHANNELS[type], packed = zlib.inflateSync(Buffer.concat(parts));
  if (packed.length < (width * channels + 1) * height) throw new Error(`${file}: it ends too soon`);
  const rows = unfilter(packed, width * channels, height, channels), rgb = new Uint8Array(width * height * 3);
  for (let i = 0; i < width * height; i++) {
    for (let c = 0; c < 3; c++) rgb[i * 3 + c] = type === 3 ? palette[rows[i] * 3 + c] : rows[i * channels + (channels > 2 ? c : 0)];
  }
  return { width, height, rgb };
};
