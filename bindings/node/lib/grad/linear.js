// SPDX-License-Identifier: Apache-2.0
//
// linear.js - the linear systems of least squares.
//
// in     a sparse Jacobian by rows, residuals, a damping
// out    the step that minimises |J step + r|^2 + damping |step|^2
// knows  Cholesky factors of J^T J, or of J J^T where there are fewer rows; Householder's QR; for large
//        problems conjugate gradients
// not    when a step is good: least-squares.js
'use strict';

const DENSE_LIMIT = 2000;           // unknowns of a dense system
const RANK_TOLERANCE = 1e-10;       // diagonal entries of R below this are 0

/** Lower triangle of a dense matrix of n rows, row by row. */
const newMatrix = (n) => new Float64Array(n * n);

const dot = (a, i, b, j, count) => {
  let s0 = 0, s1 = 0, s2 = 0, s3 = 0, k = 0;
  for (; k + 3 < count; k += 4) {
    s0 += a[i + k] * b[j + k];
    s1 += a[i + k + 1] * b[j + k + 1];
    s2 += a[i + k + 2] * b[j + k + 2];
    s3 += a[i + k + 3] * b[j + k + 3];
  }
  for (; k < count; k++) s0 += a[i + k] * b[j + k];
  return s0 + s1 + (s2 + s3);
};

/** Replaces the lower triangle by its Cholesky factor. */
const factor = (m, n) => {
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < i; j++) m[i * n + j] = (m[i * n + j] - dot(m, i * n, m, j * n, j)) / m[j * n + j];
    const pivot = m[i * n + i] - dot(m, i * n, m, i * n, i);
    if (!(pivot > 0)) throw new Error(`Matrix is not positive definite at diagonal element ${i}`);
    m[i * n + i] = Math.sqrt(pivot);
  }
};

/** Solves L L^T x = b in place. */
const substitute = (m, n, b) => {
  for (let i = 0; i < n; i++) b[i] = (b[i] - dot(m, i * n, b, 0, i)) / m[i * n + i];
  for (let i = n - 1; i >= 0; i--) {
    b[i] /= m[i * n + i];
    for (let j = 0; j < i; j++) b[j] -= m[i * n + j] * b[i];
  }
  return b;
};

// ---- products with a sparse Jacobian ----

/** J^T r */
const transposeTimes = ({ start, columns, values, width }, r) => {
  const out = new Float64Array(width);
  for (let i = 0; i < r.length; i++) {
    for (let k = start[i]; k < start[i + 1]; k++) out[columns[k]] += values[k] * r[i];
  }
  return out;
};

/** J x */
const times = ({ start, columns, values }, x, out) => {
  for (let i = 0; i < out.length; i++) {
    let sum = 0;
    for (let k = start[i]; k < start[i + 1]; k++) sum += values[k] * x[columns[k]];
    out[i] = sum;
  }
  return out;
};

/** Lower triangle of J^T J. */
const gramOfColumns = ({ start, columns, values, width: n }, count) => {
  const m = newMatrix(n);
  for (let i = 0; i < count; i++) {
    for (let a = start[i]; a < start[i + 1]; a++) {
      const row = columns[a] * n, x = values[a];
      for (let b = start[i]; b < start[i + 1]; b++) if (columns[b] <= columns[a]) m[row + columns[b]] += x * values[b];
    }
  }
  return m;
};

/** Lower triangle of J J^T. */
const gramOfRows = ({ start, columns, values, width }, count) => {
  const m = newMatrix(count), row = new Float64Array(width);
  for (let i = 0; i < count; i++) {
    for (let k = start[i]; k < start[i + 1]; k++) row[columns[k]] += values[k];
    for (let j = 0; j <= i; j++) {
      let sum = 0;
      for (let k = start[j]; k < start[j + 1]; k++) sum += values[k] * row[columns[k]];
      m[i * count + j] = sum;
    }
    for (let k = start[i]; k < start[i + 1]; k++) row[columns[k]] = 0;
  }
  return m;
};

const addDiagonal = (m, n, x) => { for (let i = 0; i < n; i++) m[i * n + i] += x; };
const negated = (x) => x.map((value) => -value);

// ---- methods ----

/** Solves J^T J + damping by its Cholesky factor. */
const byColumns = (rows, r, damping) => {
  const n = rows.width, m = gramOfColumns(rows, r.length);
  addDiagonal(m, n, damping);
  factor(m, n);
  return substitute(m, n, negated(transposeTimes(rows, r)));
};

/** -J^T (J J^T + damping)^-1 r: the same step, from a system of as many unknowns as there are rows. */
const byRows = (rows, r, damping) => {
  const n = r.length, m = gramOfRows(rows, n);
  addDiagonal(m, n, damping);
  factor(m, n);
  return negated(transposeTimes(rows, substitute(m, n, Float64Array.from(r))));
};

/** Conjugate gradients on J^T J + damping, with its diagonal as preconditioner. */
const byIteration = (rows, r, damping) => {
  const n = rows.width, diagonal = new Float64Array(n).fill(damping);
  for (let k = 0; k < rows.start[r.length]; k++) diagonal[rows.columns[k]] += rows.values[k] ** 2;
  const x = new Float64Array(n), rest = negated(transposeTimes(rows, r)), image = new Float64Array(r.length);
  let z = rest.map((v, i) => (diagonal[i] > 0 ? v / diagonal[i] : v)), p = Float64Array.from(z), size = dot(rest, 0, z, 0, n);
  const goal = size * 1e-24;
  for (let i = 0; i < 2 * n && size > goal; i++) {
    const q = transposeTimes(rows, times(rows, p, image));
    for (let k = 0; k < n; k++) q[k] += damping * p[k];
    const along = size / dot(p, 0, q, 0, n);
    for (let k = 0; k < n; k++) { x[k] += along * p[k]; rest[k] -= along * q[k]; }
    z = rest.map((v, k) => (diagonal[k] > 0 ? v / diagonal[k] : v));
    const next = dot(rest, 0, z, 0, n), ratio = next / size;
    for (let k = 0; k < n; k++) p[k] = z[k] + ratio * p[k];
    size = next;
  }
  return x;
};

/** Householder's QR of [J; sqrt(damping) I], column by column. */
const byQR = (rows, r, damping) => {
  const n = rows.width, m = r.length + (damping > 0 ? n : 0);
  const a = new Float64Array(n * m), b = new Float64Array(m);        // a[column * m + row]
  for (let i = 0; i < r.length; i++) {
    b[i] = -r[i];
    for (let k = rows.start[i]; k < rows.start[i + 1]; k++) a[rows.columns[k] * m + i] += rows.values[k];
  }
  for (let i = 0; damping > 0 && i < n; i++) a[i * m + r.length + i] = Math.sqrt(damping);
  for (let k = 0; k < Math.min(m - 1, n); k++) reflect(a, b, k, n, m);
  const x = new Float64Array(n);
  for (let i = Math.min(m, n) - 1; i >= 0; i--) {
    let sum = b[i];
    for (let j = i + 1; j < n; j++) sum -= a[j * m + i] * x[j];
    x[i] = Math.abs(a[i * m + i]) < RANK_TOLERANCE ? 0 : sum / a[i * m + i];
  }
  return x;
};

/** Makes column k 0 below its diagonal, and applies the same to the columns after it and to b. */
const reflect = (a, b, k, n, m) => {
  const norm = Math.sqrt(dot(a, k * m + k, a, k * m + k, m - k));
  if (norm < 1e-14) return;
  const first = a[k * m + k], v = a.slice(k * m + k, k * m + m);
  v[0] += first >= 0 ? norm : -norm;
  const scale = 2 / dot(v, 0, v, 0, v.length);
  const apply = (to, at) => {
    const along = scale * dot(v, 0, to, at, v.length);
    for (let i = 0; i < v.length; i++) to[at + i] -= along * v[i];
  };
  for (let j = k; j < n; j++) apply(a, j * m + k);
  apply(b, k);
};

/** The damped step. Throws where the system has none. */
const solveStep = (rows, r, damping, useQR) => {
  if (useQR) return byQR(rows, r, damping);
  if (damping > 0 && r.length < rows.width && r.length <= DENSE_LIMIT) return byRows(rows, r, damping);
  if (rows.width > DENSE_LIMIT) return byIteration(rows, r, damping > 0 ? damping : 1e-12);
  try {
    return byColumns(rows, r, damping);
  } catch (error) {
    if (damping > 0) throw error;
    return byColumns(rows, r, 1e-6);
  }
};

const normOf = (x) => Math.sqrt(dot(x, 0, x, 0, x.length));

module.exports = { solveStep, transposeTimes, normOf, dot };
