// SPDX-License-Identifier: Apache-2.0
// client.js - GPUWebSocketClient: vectors and events of a live server (docs/protocol.md).
//
// Events: 'status' (detail: 'connecting', 'connected', 'disconnected'), 'placed' (a batch with
// its results), 'none' (there are no vectors), 'lost' (a new connection could not resume: older
// points may be out of date), 'message' (every other JSON message), 'trouble' (a sentence).

import { PROTOCOL, readBatch, readFrame } from './frame.js';
import { AXES } from './placement.js';

const CHANNELS = ['vector_updates', 'job_results', 'som', 'state'];
const RETRY_FIRST = 500, RETRY_MOST = 15000;        // ms between attempts to connect
const MOST_VECTORS = 10000;             // of one request: the server's limit
const MOST_ROWS = 1024;                 // placed together

export class GPUWebSocketClient extends EventTarget {
    constructor(webgpuProcessor) {
        super();
        this.ws = null;
        this.webgpu = webgpuProcessor;
        this.vectorQueue = [];
        this.channels = CHANNELS;
        this.seq = null;                // of the last event, for a connection that resumes
        this.stream = null;             // events are numbered anew when it changes
        this.retry = RETRY_FIRST;
        this.wanted = false;
        this.working = false;
        this.epoch = 0;                 // batches of earlier ones are dropped
    }

    emit(type, detail) { this.dispatchEvent(new CustomEvent(type, { detail })); }

    /** Connects, and connects again whenever the connection breaks. */
    connect(url = 'ws://localhost:8095', protocols = [PROTOCOL]) {
        this.close();
        this.wanted = true;
        this.open(url, protocols);
    }

    open(url, protocols) {
        this.emit('status', 'connecting');
        const ws = this.ws = new WebSocket(url, protocols);
        ws.binaryType = 'arraybuffer';
        ws.onopen = () => {
            this.retry = RETRY_FIRST;
            this.emit('status', 'connected');
            this.send({ type: 'subscribe', channels: this.channels,
                        ...(this.seq == null ? {} : { since: this.seq, stream: this.stream }) });
        };
        ws.onmessage = (event) => this.receive(event.data).catch((error) => this.emit('trouble', error.message));
        ws.onclose = () => {
            if (this.ws !== ws) return;
            this.emit('status', 'disconnected');
            if (this.wanted) this.timer = setTimeout(() => this.open(url, protocols), this.retry);
            this.retry = Math.min(RETRY_MOST, this.retry * 2);
        };
    }

    close() {
        this.wanted = false;
        clearTimeout(this.timer);
        const { ws } = this;
        this.ws = null;
        ws?.close();
        if (ws) this.emit('status', 'disconnected');
    }

    get connected() { return this.ws?.readyState === WebSocket.OPEN; }

    /** False if there is no connection. */
    send(message) {
        if (this.ws?.readyState !== WebSocket.OPEN) return false;
        this.ws.send(JSON.stringify(message));
        return true;
    }

    /** The newest vectors; `since`: of events after this number. */
    requestVectors(limit = 1000, since = 0) { return this.send({ type: 'request_vectors', limit, since }); }

    async receive(data) {
        if (typeof data === 'string') return this.handleMessage(JSON.parse(data));
        if (this.ws?.protocol === PROTOCOL) return this.enqueue(readFrame(data));
        return this.handleVectorStream(new Float32Array(data));
    }

    async handleMessage(message) {
        if (message.stream && message.stream !== this.stream) {
            this.stream = message.stream;
            this.seq = null;
        }
        switch (message.type) {
        case 'subscribed':
            if (message.resumed === false) this.emit('lost');
            return this.emit('message', message);
        case 'missed':                  // the page was slower than the vectors came
            if (message.channels?.vector_updates) this.requestVectors(MOST_VECTORS, this.seq ?? 0);
            return this.emit('message', message);
        case 'vector_batch':
            return this.enqueue(readBatch(message));
        case 'job_completed':
            this.saw(message.seq);
            if (message.result?.vector) await this.handleVectorStream(new Float32Array(message.result.vector));
            return this.emit('message', message);
        default:
            return this.emit('message', message);
        }
    }

    /** Drops the batches that wait or are being placed. */
    forget() {
        this.vectorQueue.length = 0;
        this.epoch++;
    }

    /** Older events come again when they are asked for. */
    saw(seq) { if (seq) this.seq = Math.max(this.seq ?? 0, seq); }

    enqueue(batch) {
        this.saw(batch.seq);
        if (!batch.count) {
            this.emit('none');
            return undefined;
        }
        this.vectorQueue.push(batch);
        return this.processVectorQueue();
    }

    /** The first batches that wait, of one dimension and up to MOST_ROWS rows: one pass for all. */
    takeBatches() {
        const [{ dimension }] = this.vectorQueue;
        let count = 0, rows = 0;
        for (const batch of this.vectorQueue) {
            if (count && (batch.dimension !== dimension || rows + batch.count > MOST_ROWS)) break;
            rows += batch.count;
            count++;
        }
        return this.vectorQueue.splice(0, count);
    }

    /** Places what waits; calls while it works find their batches taken. */
    async processVectorQueue() {
        if (this.working) return;
        this.working = true;
        try {
            while (this.vectorQueue.length) await this.placeBatches(this.takeBatches());
        } finally {
            this.working = false;
        }
    }

    async placeBatches(batches) {
        const [{ dimension, data: only }] = batches, began = performance.now(), { epoch } = this;
        let data = only;
        if (batches.length > 1) {
            data = new Float32Array(batches.reduce((sum, batch) => sum + batch.data.length, 0));
            batches.reduce((at, batch) => { data.set(batch.data, at); return at + batch.data.length; }, 0);
        }
        const { results, placement } = await this.webgpu.place(data, dimension), milliseconds = performance.now() - began;
        if (epoch !== this.epoch) return;
        let row = 0;
        for (const batch of batches) {
            const part = results.subarray(row * placement.columns, (row + batch.count) * placement.columns);
            this.emit('placed', { ...batch, results: part, placement, milliseconds });
            row += batch.count;
        }
    }

    /** One vector outside a batch: its distances to the units of the map become the picture. */
    async handleVectorStream(vectorData) {
        const { results } = await this.webgpu.place(vectorData, vectorData.length);
        this.updateVisualization(results.length > AXES ? results.subarray(AXES) : results);
    }

    updateVisualization(vectorData) {
        const canvas = document.getElementById('som-visualization');
        if (canvas) this.renderSOMGrid(canvas, vectorData);
    }

    /** Values as a square grid of cells, from the smallest to the largest. */
    renderSOMGrid(canvas, data) {
        const context = canvas.getContext('2d'), side = Math.ceil(Math.sqrt(data.length)) || 1;
        const wide = canvas.width / side, tall = canvas.height / side;
        let low = Infinity, high = -Infinity;
        for (const value of data) { low = Math.min(low, value); high = Math.max(high, value); }
        context.clearRect(0, 0, canvas.width, canvas.height);
        data.forEach((value, i) => {
            const t = high > low ? Math.round((value - low) / (high - low) * 255) : 0;
            context.fillStyle = `rgb(${t}, ${t >> 1}, ${255 - t})`;
            context.fillRect((i % side) * wide, Math.floor(i / side) * tall, wide, tall);
        });
    }
}
