// SPDX-License-Identifier: Apache-2.0
// worker.js - the products of products.js, beside the page.

import { multiply } from './placement.js';

let matrix = null;                      // the last one: it comes when it changes

onmessage = ({ data: { rows, inner, matrix: next } }) => {
    matrix = next ?? matrix;
    const results = multiply(rows, matrix, inner);
    postMessage(results, [results.buffer]);
};
