// SPDX-License-Identifier: Apache-2.0
//
// squeezenet.mjs - the image encoder: SqueezeNet 1.1.
//
// in     its weights (npy), pictures
// out    scores of the 1,000 classes of ImageNet
// knows  the network: squeeze and expand layers
// not    names of classes
import path from 'node:path';
import { concat, scope, tensor } from '../../../bindings/node/tensor.mjs';
import { openStore } from '../../../bindings/node/store.mjs';

const SIDE = 224, MEAN = [0.485, 0.456, 0.406], DEVIATION = [0.229, 0.224, 0.225];
const POOL = { size: 3, stride: 2, ceil: true };
const FIRES_AFTER_POOL = new Set([2, 4]);       // fire modules before which the picture is halved

export class SqueezeNet {
  constructor(folder, context) {
    this.context = context;
    const load = (name) => openStore({ path: path.join(folder, 'weights', `squeezenet0_${name}.npy`), context }).get('array');
    this.convolutions = Array.from({ length: 26 }, (_, i) => [load(`conv${i}_weight`), load(`conv${i}_bias`)]);
  }

  get weights() { return this.convolutions.flat(); }

  /** x[N, 3, 224, 224], normalized -> scores[N, 1000]. Each fire module squeezes by a 1x1
   * convolution, and expands by one of 1x1 and one of 3x3. */
  scores(x) {
    const conv = (i, y, options) => y.conv2d(...this.convolutions[i], { activation: 'relu', ...options });
    let y = conv(0, x, { stride: 2 }).maxPool(POOL);
    for (let fire = 0; fire < 8; fire++) {
      if (FIRES_AFTER_POOL.has(fire)) y = y.maxPool(POOL);
      const squeezed = conv(3 * fire + 1, y);
      y = concat([conv(3 * fire + 2, squeezed), conv(3 * fire + 3, squeezed, { padding: 1 })], 1);
    }
    return conv(25, y).mean([2, 3]);
  }

  /** Pictures { width, height, rgb } -> probabilities[pictures, 1000]. */
  encode(pictures) {
    return scope(() => {
      const data = new Float32Array(pictures.length * 3 * SIDE * SIDE);
      pictures.forEach((picture, i) => crop(picture, data.subarray(i * 3 * SIDE * SIDE)));
      return this.scores(tensor(data, { shape: [pictures.length, 3, SIDE, SIDE], context: this.context })).softmax();
    });
  }
}

/** The middle square, bilinearly scaled to 224 x 224 and normalized, into out[3, 224, 224]. */
const crop = ({ width, height, rgb }, out) => {
  const side = Math.min(width, height), left = (width - side) / 2, top = (height - side) / 2, step = side / SIDE;
  const at = (x, y, c) => rgb[(Math.min(Math.max(y, 0), height - 1) * width + Math.min(Math.max(x, 0), width - 1)) * 3 + c];
  for (let y = 0; y < SIDE; y++) {
    const fy = top + (y + 0.5) * step - 0.5, y0 = Math.floor(fy), wy = fy - y0;
    for (let x = 0; x < SIDE; x++) {
      const fx = left + (x + 0.5) * step - 0.5, x0 = Math.floor(fx), wx = fx - x0;
      for (let c = 0; c < 3; c++) {
        const value = (at(x0, y0, c) * (1 - wx) + at(x0 + 1, y0, c) * wx) * (1 - wy) + (at(x0, y0 + 1, c) * (1 - wx) + at(x0 + 1, y0 + 1, c) * wx) * wy;
        out[(c * SIDE + y) * SIDE + x] = (value / 255 - MEAN[c]) / DEVIATION[c];
      }
    }
  }
};
