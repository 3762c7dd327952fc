// SPDX-License-Identifier: Apache-2.0
// home.js - what the server does now, in one line.

import { get, text } from './lib/dom.js';
import { getJson } from './lib/api.js';

const INTERVAL = 2000;

async function show() {
    try {
        const { state, workers, jobs } = await getJson('/v1/state');
        text(get('now'), `${state}: ${jobs.running} jobs running, ${jobs.queued} waiting, ${jobs.done} done; `
            + `${workers.ready} of ${workers.total} workers free`);
    } catch (error) {
        text(get('now'), error.message);
    }
    setTimeout(show, INTERVAL);
}

show();
