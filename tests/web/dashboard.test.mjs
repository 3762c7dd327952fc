// SPDX-License-Identifier: Apache-2.0
// The parts of the dashboard: metrics, percentiles, history, the list of jobs with a document that
// only keeps what it is given; and the formats of numbers that all pages use.
import assert from 'node:assert';
import { test } from 'node:test';
import { buckets, increase, parse, percentile } from '../../web/dashboard/metrics.js';
import { History } from '../../web/dashboard/history.js';
import { JobList } from '../../web/dashboard/jobs.js';
import { bytes, digits, duration, short } from '../../web/lib/format.js';

const TEXT = `# HELP t Time.
# TYPE t histogram
t_bucket{le="0.001"} 10
t_bucket{le="0.01"} 90
t_bucket{le="+Inf"} 100
t_sum 1.5
t_count 100
n_total{kind="a"} 7
`;

test('the text format', () => {
    const metrics = parse(TEXT);
    assert.equal(metrics.get('n_total{kind="a"}'), 7);
    assert.deepEqual(buckets(metrics, 't'), [[0.001, 10], [0.01, 90], [Infinity, 100]]);
});

test('percentiles between two readings', () => {
    const now = parse(TEXT);
    assert.equal(percentile(now, null, 't', 0.1), 0.001);
    assert.ok(Math.abs(percentile(now, null, 't', 0.5) - 0.0055) < 1e-9);
    assert.equal(percentile(now, null, 't', 0.99), 0.01);       // beyond the last bound
    assert.equal(percentile(now, now, 't', 0.5), null);         // nothing between them
    assert.equal(percentile(now, null, 'nothing', 0.5), null);
});

test('counters', () => {
    const before = parse('n_total{kind="a"} 5\n'), now = parse(TEXT);
    assert.equal(increase(now, before, 'n_total{kind="a"}'), 2);
    assert.equal(increase(before, now, 'n_total{kind="a"}'), 0);    // the server began again
    assert.equal(increase(now, null, 'n_total{kind="a"}'), 0);
});

test('a history has a fixed size', () => {
    const history = new History(3, ['a']);
    for (let i = 0; i < 5; i++) history.push(i, { a: i === 3 ? null : 10 * i });
    const [time, a] = history.data(['a']);
    assert.deepEqual([...time], [2, 3, 4]);
    assert.deepEqual(a, [20, null, 40]);
});

test('formats', () => {
    assert.equal(duration(0.0123), '12.3 ms');
    assert.equal(duration(3e-6), '3 µs');
    assert.equal(duration(130), '2 min 10 s');
    assert.equal(bytes(1500), '1.5 kB');
    assert.equal(bytes(12), '12 B');
    assert.equal(short(1234567), '1.23 M');
    assert.equal(digits(0.00001), '1.00e-5');
    assert.equal(digits(NaN), 'NaN');
});

/* ---- the list of jobs ---- */

function fakeElement() {
    return { style: {}, children: [], scrollTop: 0, clientHeight: 280, setAttribute() {}, addEventListener() {},
             append(...children) { this.children.push(...children); }, replaceChildren(...children) { this.children = children; } };
}

/** A list and its server, which has the jobs of `store`, the newest first, and pages as GET /v1/jobs. */
function fakeJobs() {
    const fake = { store: [], requests: 0, down: false };
    globalThis.document = { createElement: fakeElement };
    globalThis.sessionStorage = { getItem: () => null };
    globalThis.fetch = async (path) => {
        fake.requests++;
        if (fake.down) throw new TypeError('no server');
        const query = new URL(path, 'http://server').searchParams, limit = Number(query.get('limit'));
        const from = query.has('after') ? fake.store.findIndex(({ id }) => id === query.get('after')) + 1 : 0;
        const jobs = fake.store.slice(from, from + limit);
        return { ok: true, json: async () => ({ jobs, ...(jobs.length === limit ? { next: jobs.at(-1).id } : {}) }) };
    };
    // Ids of one millisecond are in no order.
    fake.post = (count) => { for (let i = 0; i < count; i++) fake.store.unshift({ id: `${fake.store.length * 7919 % 10007}`, state: 'done', created: 0 }); };
    fake.list = new JobList(fakeElement(), (count, complete) => { fake.said = `${count}${complete ? '' : ' or more'}`; });
    /** Is the list the beginning of what the server has? */
    fake.assertTrue = () => assert.deepEqual(fake.list.jobs.map(({ id }) => id), fake.store.slice(0, fake.list.jobs.length).map(({ id }) => id));
    fake.scrollTo = async (row) => {
        fake.list.box.scrollTop = row * 28;
        fake.list.draw();
        while (fake.list.loading) await new Promise(setImmediate);
    };
    return fake;
}

test('jobs: 3,000 new ones after 20 leave no gap, and the count says that there are more', async () => {
    const fake = fakeJobs();
    fake.post(20);
    await fake.list.refresh();
    assert.equal(fake.said, '20');
    fake.post(3000);
    await fake.list.refresh();
    fake.assertTrue();
    assert.equal(fake.said, '2000 or more');
    for (let row = 2000; !fake.list.complete; row += 200) await fake.scrollTo(row);
    fake.assertTrue();
    assert.equal(fake.said, '3020');
    await fake.list.refresh();          // what is in view stays
    assert.equal(fake.said, '3020');
    await fake.scrollTo(0);
    await fake.list.refresh();
    fake.assertTrue();
    assert.equal(fake.said, '2000 or more');
});

test('jobs: new ones join the known ones, with one request where that is enough', async () => {
    const fake = fakeJobs();
    fake.post(200);
    await fake.list.refresh();
    assert.equal(fake.said, '200 or more');
    await fake.scrollTo(195);
    assert.equal(fake.said, '200');
    for (const [count, requests] of [[0, 1], [1, 1], [199, 1], [200, 2], [450, 3]]) {
        fake.post(count);
        fake.requests = 0;
        await fake.list.refresh();
        fake.assertTrue();
        assert.equal(fake.said, String(fake.store.length));
        assert.equal(fake.requests, requests);
    }
});

test('jobs: a long session keeps no more than the limit', async () => {
    const fake = fakeJobs();
    for (let i = 0; i < 60; i++) {
        fake.post(150);
        await fake.list.refresh();
        fake.assertTrue();
        assert.ok(fake.list.jobs.length <= 2000);
    }
    assert.equal(fake.said, '2000 or more');
});

test('jobs: a server that has forgotten old jobs or is down is not asked again and again', async () => {
    const fake = fakeJobs();
    fake.post(400);
    await fake.list.refresh();
    fake.store.length = 150;            // the list continues after a job that is gone
    await fake.scrollTo(195);
    assert.equal(fake.said, '200');
    await fake.list.refresh();
    fake.assertTrue();
    assert.equal(fake.said, '150');
    fake.post(400);
    await fake.scrollTo(0);
    await fake.list.filter('done');
    fake.down = true;
    fake.requests = 0;
    await fake.scrollTo(195);
    await new Promise((resolve) => { setTimeout(resolve, 20); });
    assert.equal(fake.requests, 1);
});
