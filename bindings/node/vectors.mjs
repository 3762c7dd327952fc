// SPDX-License-Identifier: Apache-2.0
//
// vectors.mjs - the same for `import`.
import vectors from './vectors.js';

export const { VectorIndex, SelfOrganisingMap, Projection } = vectors;
