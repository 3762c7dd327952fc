// SPDX-License-Identifier: Apache-2.0
//
// icosphere.mjs - a sphere of triangles, and an energy that is 0 where its surface can be made of paper.
import { V, Vec3 } from 'weft-gpu/grad';

/** { vertices, rings }: unit vectors, and the neighbours of each in order. */
export const icosphere = (levels) => {
  const t = (1 + Math.sqrt(5)) / 2, unit = (p) => p.map((c) => c / Math.hypot(...p));
  const vertices = [[-1, t, 0], [1, t, 0], [-1, -t, 0], [1, -t, 0], [0, -1, t], [0, 1, t],
    [0, -1, -t], [0, 1, -t], [t, 0, -1], [t, 0, 1], [-t, 0, -1], [-t, 0, 1]].map(unit);
  let faces = [[0, 11, 5], [0, 5, 1], [0, 1, 7], [0, 7, 10], [0, 10, 11], [1, 5, 9], [5, 11, 4],
    [11, 10, 2], [10, 7, 6], [7, 1, 8], [3, 9, 4], [3, 4, 2], [3, 2, 6], [3, 6, 8], [3, 8, 9],
    [4, 9, 5], [2, 4, 11], [6, 2, 10], [8, 6, 7], [9, 8, 1]];
  for (let level = 0; level < levels; level++) {
    const middles = new Map();
    const middle = (a, b) => {
      const key = `${Math.min(a, b)} ${Math.max(a, b)}`;
      if (!middles.has(key)) middles.set(key, vertices.push(unit(vertices[a].map((c, k) => c + vertices[b][k]))) - 1);
      return middles.get(key);
    };
    faces = faces.flatMap(([a, b, c]) => {
      const ab = middle(a, b), bc = middle(b, c), ca = middle(c, a);
      return [[a, ab, ca], [b, bc, ab], [c, ca, bc], [ab, bc, ca]];
    });
  }
  const next = vertices.map(() => new Map());
  for (const f of faces) for (let k = 0; k < 3; k++) next[f[k]].set(f[(k + 1) % 3], f[(k + 2) % 3]);
  const rings = next.map((of) => {
    const ring = [of.keys().next().value];
    while (ring.length < of.size) ring.push(of.get(ring.at(-1)));
    return ring;
  });
  return { vertices, rings };
};

/** How far the normals around a vertex are from two directions: the best cut of the ring in two. */
export const vertexEnergy = (centre, ring) => {
  const k = ring.length, edges = ring.map((p) => p.sub(centre));
  const normals = edges.map((e, i) => Vec3.cross(e, edges[(i + 1) % k]).normalized);
  const prefix = [Vec3.zero()];
  for (const n of normals) prefix.push(prefix.at(-1).add(n));
  const variance = (s, n) => V.sub(n, V.mul(1 / n, Vec3.dot(s, s)));
  let best = null;
  for (let p = 0; p < k; p++) {
    for (let q = p + 1; q < k; q++) {
      const one = prefix[q].sub(prefix[p]), two = prefix[k].sub(one);
      const total = V.add(variance(one, q - p), variance(two, k - (q - p)));
      if (!best || total.data < best.data) best = total;
    }
  }
  return best;
};

/** { params, residuals }: the energy of every vertex. */
export const developable = (levels) => {
  const { vertices, rings } = icosphere(levels);
  const points = vertices.map(([x, y, z]) => Vec3.W(x, y, z));
  const params = points.flatMap((p) => [p.x, p.y, p.z]);
  return { params, residuals: () => rings.map((ring, v) => vertexEnergy(points[v], ring.map((i) => points[i]))) };
};
