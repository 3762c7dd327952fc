// SPDX-License-Identifier: Apache-2.0
//
// vectors.js - weft-gpu/vectors: search index, self-organising map, projection.
'use strict';

const { VectorIndex, SelfOrganisingMap, Projection } = require('./lib/vectors.js');

module.exports = { VectorIndex, SelfOrganisingMap, Projection };
