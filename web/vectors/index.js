// SPDX-License-Identifier: Apache-2.0
// index.js - the classes of the vectors page, for other pages.

export { WebGPUVectorProcessor } from './processor.js';
export { GPUWebSocketClient } from './client.js';
export { VertexBufferManager } from './vertex.js';
