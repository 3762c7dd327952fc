// SPDX-License-Identifier: Apache-2.0
//
// labels.mjs - the names of the 1,000 classes of ImageNet.
//
// in     imagenet_classes.js of the npm package @tensorflow-models/mobilenet
// out    an array of names
import { createRequire } from 'node:module';

export const readLabels = (file) => {
  const { IMAGENET_CLASSES: classes } = createRequire(import.meta.url)(file);
  return Array.from({ length: 1000 }, (_, i) => classes[i]);
};
