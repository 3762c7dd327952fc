// SPDX-License-Identifier: Apache-2.0
//
// live.mjs - weft-gpu/live: the live protocol in JavaScript, both sides of it, without packages.
import { LiveClient, LiveError, platform, readHeaded, writeHeaded } from './lib/live/client.mjs';
import { GPUWebSocketServer } from './lib/live/server.mjs';
import { Socket } from './lib/live/socket.mjs';

// Node.js 18 and 20 have no WebSocket; that of 22 sets no headers.
platform.open = (url, protocols) => new Socket(url, protocols);

export { GPUWebSocketServer, LiveClient, LiveError, readHeaded, writeHeaded };
export default GPUWebSocketServer;
