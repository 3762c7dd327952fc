// SPDX-License-Identifier: Apache-2.0
// products.js - the CPU's way to place vectors: in a worker, so that the page answers meanwhile;
// on the page itself, in parts, where there are no workers.

import { multiplyInParts } from './placement.js';

function startWorker() {
    try {
        return new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });
    } catch {
        return null;
    }
}

export class Products {
    constructor(start = startWorker) {
        this.start = start;
        this.worker = undefined;        // null: it failed
        this.sent = null;               // the matrix that it has
    }

    /** results[rows][columns]. One call at a time. */
    async multiply(rows, { matrix, version, inner }) {
        if (this.worker === undefined) this.worker = this.start();
        return (this.worker ? await this.ask(rows, matrix, version, inner) : null) ?? multiplyInParts(rows, matrix, inner);
    }

    /** Null if the worker has failed: it is not asked again. */
    ask(rows, matrix, version, inner) {
        const known = this.sent?.matrix === matrix && this.sent.version === version, { worker } = this;
        this.sent = { matrix, version };
        return new Promise((resolve) => {
            worker.onmessage = ({ data }) => resolve(data);
            worker.onerror = (event) => {
                event.preventDefault?.();
                this.worker = null;
                resolve(null);
            };
            worker.postMessage({ rows, inner, matrix: known ? null : matrix });
        });
    }

    destroy() {
        this.worker?.terminate();
        this.worker = undefined;
        this.sent = null;
    }
}
