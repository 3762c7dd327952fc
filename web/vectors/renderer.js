// SPDX-License-Identifier: Apache-2.0
// renderer.js - picks what draws the cloud: the one that needs the least time for its first
// frames on this machine.

import { el } from '../lib/dom.js';
import { digits } from '../lib/format.js';
import { CanvasCloud } from './cloud_canvas.js';
import { WebGLCloud } from './cloud_webgl.js';
import { WebGPUCloud } from './cloud_webgpu.js';
import { Camera } from './camera.js';
import { Points } from './points.js';

const PROBE_POINTS = 20000;
const PROBE_FRAMES = 3;
const FAST_ENOUGH = 3;                  // ms: nothing else is tried then

/* in the order of preference; also the values of ?renderer= */
const NAMES = { webgpu: 'WebGPU', webgl: 'WebGL 2', canvas: '2D canvas' };
const KINDS = [['webgpu', WebGPUCloud], ['webgl', WebGLCloud], ['canvas', CanvasCloud]];

function probePoints() {
    const points = new Points(PROBE_POINTS);
    for (let i = 0; i < PROBE_POINTS; i++) {
        const t = i / PROBE_POINTS * 400, r = Math.sqrt(i / PROBE_POINTS);
        points.add(i, '', r * Math.cos(t), r * Math.sin(t), Math.sin(3 * t) * 0.5, r, 0);
    }
    return points;
}

/** Median time of a frame on a canvas of the size of `canvas`, in ms. Throws if it cannot draw. */
async function probe(Kind, canvas, processor, points) {
    const trial = el('canvas', { width: canvas.width, height: canvas.height });
    const cloud = await Kind.create(trial, processor), camera = new Camera(), times = [];
    try {
        for (let i = 0; i <= PROBE_FRAMES; i++) {
            camera.orbit(0.1, 0);
            const began = performance.now();
            cloud.draw(points, camera.matrix(trial.width / trial.height), 3, [0, 0, 0]);
            await cloud.finish();
            if (i) times.push(performance.now() - began);    // the first also compiles and uploads
        }
    } finally {
        cloud.destroy();
    }
    return times.sort((a, b) => a - b)[times.length >> 1];
}

/** Why a forced kind does not draw. */
function why(wanted, [failure]) {
    return NAMES[wanted] ? `The cloud is not drawn: ${failure?.message ?? `${NAMES[wanted]} is not available in this browser`}. Without ?renderer=${wanted} the page chooses what can`
        : `The cloud is not drawn: unknown renderer '${wanted}'; there are ${Object.keys(NAMES).join(', ')}`;
}

/** A canvas that has had a context of one kind cannot get another: it is replaced by a new one. */
function fresh(canvas) {
    const next = canvas.cloneNode(false);
    canvas.replaceWith(next);
    return next;
}

/** Why: the times of all kinds that were tried, the fastest first. */
function measured(found, failed) {
    const [best, ...others] = found.map(({ kind, ms }) => [NAMES[kind], `${ms < 10 ? digits(Math.round(10 * ms) / 10) : Math.round(ms)} ms`]);
    return `${best[0]}: ${best[1]} a frame of ${PROBE_POINTS.toLocaleString('en')} points`
        + (others.length ? `; ${others.map((one) => one.join(' ')).join(', ')}` : '')
        + (failed.length ? `; not here: ${failed.map(({ kind }) => NAMES[kind]).join(', ')}` : '');
}

/**
 * @param wanted a kind to be forced, or null
 * @returns {{ cloud, canvas, kind, reason }} with a sentence for the page
 */
export async function chooseRenderer(canvas, processor, wanted) {
    const kinds = KINDS.filter(([kind]) => (kind !== 'webgpu' || processor.device) && (!wanted || kind === wanted));
    const points = wanted ? null : probePoints(), found = [], failed = [];
    for (const [kind, Kind] of kinds) {
        try {
            const ms = wanted ? 0 : await probe(Kind, canvas, processor, points);
            found.push({ kind, Kind, ms });
            if (ms < FAST_ENOUGH) break;
        } catch (error) {
            failed.push({ kind, message: error.message });
        }
    }
    found.sort((a, b) => a.ms - b.ms);
    for (const { kind, Kind, ms } of found) {
        const target = fresh(canvas);
        try {
            const cloud = await Kind.create(target, processor);
            return { cloud, canvas: target, kind, reason: wanted ? `${cloud.name}, as asked for` : measured(found, failed) };
        } catch (error) {
            failed.push({ kind, message: error.message });
            canvas = target;
        }
    }
    throw new Error(wanted ? why(wanted, failed) : `Nothing can draw the cloud here: ${failed.map(({ message }) => message).join('; ')}`);
}
