// SPDX-License-Identifier: Apache-2.0
//
// frames.mjs - WebSocket frames (RFC 6455) and permessage-deflate without context takeover.
//
// in     bytes of the other side; messages
// out    messages; bytes
// knows  RFC 6455 5 and 7, RFC 7692
// not    sockets, what messages mean
import crypto from 'node:crypto';
import zlib from 'node:zlib';

export const TEXT = 1, BINARY = 2, CLOSE = 8, PING = 9, PONG = 10;

/** What the other side did wrong: `code` is for the closing frame. */
export class FrameError extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

export const acceptKey = (key) =>
  crypto.createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64');

const head = (first, length, masked) => {
  const bit = masked ? 128 : 0;
  if (length < 126) return Buffer.from([first, bit | length]);
  const bytes = Buffer.alloc(length < 65536 ? 4 : 10);
  bytes[0] = first;
  bytes[1] = bit | (length < 65536 ? 126 : 127);
  if (length < 65536) bytes.writeUInt16BE(length, 2);
  else bytes.writeBigUInt64BE(BigInt(length), 2);
  return bytes;
};

/** A whole message as one frame. */
export const encode = (opcode, payload, { masked = false, compressed = false } = {}) => {
  const start = head(128 | (compressed ? 64 : 0) | opcode, payload.length, masked);
  if (!masked) return Buffer.concat([start, payload]);
  const key = crypto.randomBytes(4), data = Buffer.from(payload);
  for (let i = 0; i < data.length; i++) data[i] ^= key[i & 3];
  return Buffer.concat([start, key, data]);
};

/** Compressed by itself, so that it serves every client. */
export const deflate = (payload) =>
  zlib.deflateRawSync(payload, { finishFlush: zlib.constants.Z_SYNC_FLUSH }).subarray(0, -4);

const inflate = (payload, limit) => {
  try {
    return zlib.inflateRawSync(Buffer.concat([payload, Buffer.from([0, 0, 255, 255])]),
      { finishFlush: zlib.constants.Z_SYNC_FLUSH, maxOutputLength: limit });
  } catch (error) {
    throw error.code === 'ERR_BUFFER_TOO_LARGE' ? new FrameError(1009, 'the message is too large')
      : new FrameError(1007, 'the compressed message is damaged');
  }
};

const closeBody = (payload) => {
  if (payload.length === 0) return { code: 1005, reason: '' };
  const code = payload.length === 1 ? 0 : payload.readUInt16BE(0);
  const known = (code >= 1000 && code <= 1014 && ![1004, 1005, 1006].includes(code)) || (code >= 3000 && code < 5000);
  if (!known) throw new FrameError(1002, 'a close frame has a wrong code');
  return { code, reason: text(payload.subarray(2)) };
};

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const text = (payload) => {
  try { return decoder.decode(payload); } catch { throw new FrameError(1007, 'a text is not UTF-8'); }
};

/** Reads frames as bytes come: on.text(string), on.binary(Buffer), on.ping(Buffer), on.pong(), on.close({ code, reason }).
 * push() throws a FrameError. */
export class Parser {
  #on; #masked; #deflates; #limit;
  #bytes = Buffer.alloc(0);
  #parts = []; #size = 0; #opcode = 0; #compressed = false;

  constructor(on, { masked, deflates = false, limit = 1 << 20 }) {
    this.#on = on;
    this.#masked = masked;
    this.#deflates = deflates;
    this.#limit = limit;
  }

  push(bytes) {
    this.#bytes = this.#bytes.length === 0 ? bytes : Buffer.concat([this.#bytes, bytes]);
    for (let frame = this.#frame(); frame !== null; frame = this.#frame()) this.#take(frame);
  }

  #check(first, second, length) {
    const opcode = first & 15, isControl = opcode >= 8;
    if (![0, TEXT, BINARY, CLOSE, PING, PONG].includes(opcode)) throw new FrameError(1002, 'unknown kind of frame');
    if (first & 48 || (first & 64 && (!this.#deflates || isControl || opcode === 0))) throw new FrameError(1002, 'a reserved bit is set');
    if (Boolean(second & 128) !== this.#masked) throw new FrameError(1002, this.#masked ? 'a frame is not masked' : 'a frame is masked');
    if (isControl && (length > 125 || !(first & 128))) throw new FrameError(1002, 'a control frame is too long or cut');
    if (!isControl && (opcode === 0) !== (this.#opcode !== 0)) throw new FrameError(1002, 'fragments are out of order');
    if (!isControl && this.#size + length > this.#limit) throw new FrameError(1009, 'the message is too large');
  }

  /** The next frame, or null while it is not complete. */
  #frame() {
    const b = this.#bytes;
    if (b.length < 2) return null;
    const short = b[1] & 127, more = short < 126 ? 0 : short === 126 ? 2 : 8;
    if (b.length < 2 + more) return null;
    const length = more === 0 ? short : more === 2 ? b.readUInt16BE(2) : Number(b.readBigUInt64BE(2));
    this.#check(b[0], b[1], length);
    const start = 2 + more + (this.#masked ? 4 : 0);
    if (b.length < start + length) return null;
    const payload = Buffer.from(b.subarray(start, start + length));
    for (let i = 0; this.#masked && i < length; i++) payload[i] ^= b[start - 4 + (i & 3)];
    this.#bytes = b.subarray(start + length);
    return { first: b[0], payload };
  }

  #take({ first, payload }) {
    const opcode = first & 15;
    if (opcode === CLOSE) this.#on.close?.(closeBody(payload));
    else if (opcode === PING) this.#on.ping?.(payload);
    else if (opcode === PONG) this.#on.pong?.(payload);
    else this.#fragment(first, payload);
  }

  #fragment(first, payload) {
    if (first & 15) {
      this.#opcode = first & 15;
      this.#compressed = Boolean(first & 64);
    }
    this.#parts.push(payload);
    this.#size += payload.length;
    if (!(first & 128)) return;
    const opcode = this.#opcode, whole = this.#parts.length === 1 ? payload : Buffer.concat(this.#parts);
    this.#parts = [];
    this.#size = this.#opcode = 0;
    const data = this.#compressed ? inflate(whole, this.#limit) : whole;
    if (opcode === TEXT) this.#on.text?.(text(data));
    else this.#on.binary?.(data);
  }
}
