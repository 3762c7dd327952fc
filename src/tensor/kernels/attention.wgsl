// SPDX-License-Identifier: Apache-2.0
// attention: y[batch, head, query, e] = softmax(q k^T scale + mask) v, in f32.
// A workgroup has R queries that share keys and values, and walks over the keys 256 at a time:
// scores with lanes along the keys, then their exponentials, then sums of values with lanes along
// the elements of a value. Earlier sums are scaled when a larger score comes. Queries that see no
// key give 0. Lines with #r stand for one line a query.
${DECLARE}
const R = ${R};
const HIDDEN : f32 = -3.4e38;
var<workgroup> scores : array<f32, R * 256u>;
var<workgroup> part : array<f32, R * 64u>;
var<workgroup> acc : array<f32, R * ${E}>;
var<workgroup> most : array<f32, R>;
var<workgroup> total : array<f32, R>;
var<workgroup> keep : array<f32, R>;

fn score_of(batch : u32, head : u32, query : u32, key : u32, product : f32) -> f32 {
  var score = product * ${SCALE};
  ${MASKED}
  return score;
}

fn head_of(of_group : u32, row : u32) -> u32 {
  return ${HEAD};
}

fn query_of(row : u32) -> u32 {
  return ${QUERY};
}

fn query_start(batch : u32, of_group : u32, row : u32) -> u32 {
  return ${Q_START} + batch * ${Q_BATCH} + head_of(of_group, row) * ${Q_HEAD}
         + query_of(row) * ${Q_ROW};
}

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group : vec3u, @builtin(local_invocation_index) index : u32) {
  let batch = group.z;
  let of_group = group.y;
  let first = group.x * R;
  let row#r = min(first + #ru, ${ROWS} - 1u);
  let q#r = query_start(batch, of_group, row#r);
  if index < R {
    most[index] = HIDDEN;
  }
  let end = ${END};
  for (var block = 0u; block < end; block += 256u) {
    for (var at = 0u; at < 256u; at += 64u) {
      let key = block + at + index;
      var sum#r = 0.0;
      if key < ${S} {
        for (var d = 0u; d < ${D}; d++) {
          let k = ${KEY};
          sum#r = fma(q_at(q#r + d * ${Q_STEP}), k, sum#r);
        }
        sum#r = score_of(batch, head_of(of_group, row#r), query_of(row#r), key, sum#r);
      }
      scores[#ru * 256u + at + index] = select(HIDDEN, sum#r, key < ${S});
    }
    workgroupBarrier();
    for (var i = 0u; i < R; i++) {
      var high = scores[i * 256u + index];
      for (var at = 64u; at < 256u; at += 64u) {
        high = max_f32(scores[i * 256u + at + index], high);
      }
      part[i * 64u + index] = high;
    }
    workgroupBarrier();
    for (var half = 32u; half > 0u; half >>= 1u) {
      if index < half {
        for (var i = 0u; i < R; i++) {
          part[i * 64u + index] = max_f32(part[i * 64u + index + half], part[i * 64u + index]);
        }
      }
      workgroupBarrier();
    }
    if index < R {
      let now = max_f32(part[index * 64u], most[index]);
      keep[index] = exp(most[index] - now);
      most[index] = now;
    }
    workgroupBarrier();
    for (var i = 0u; i < R; i++) {
      var sum = 0.0;
      for (var at = 0u; at < 256u; at += 64u) {
        let s = scores[i * 256u + at + index];
        let e = select(exp(s - most[i]), 0.0, s == HIDDEN);
        scores[i * 256u + at + index] = e;
        sum += e;
      }
      part[i * 64u + index] = sum;
    }
    workgroupBarrier();
    for (var half = 32u; half > 0u; half >>= 1u) {
      if index < half {
        for (var i = 0u; i < R; i++) {
          part[i * 64u + index] += part[i * 64u + index + half];
        }
      }
      workgroupBarrier();
    }
    if index < R {
      total[index] = total[index] * keep[index] + part[index * 64u];
    }
    let count = min(256u, end - block);
    for (var e = index; e < ${E}; e += 64u) {
      let start = ${V_START} + block * ${V_ROW} + e * ${V_STEP};
      var y#r = 0.0;
      for (var j = 0u; j < count; j++) {
        let v = values_at(start + j * ${V_ROW});
        y#r = fma(scores[#ru * 256u + j], v, y#r);
      }
      acc[#ru * ${E} + e] = acc[#ru * ${E} + e] * keep[#r] + y#r;
    }
    workgroupBarrier();
  }
  for (var i = 0u; i < R; i++) {
    let row = first + i;
    if row < ${ROWS} {
      let line = batch * ${HEADS} + head_of(of_group, row);
      let query = query_of(row);
      for (var e = index; e < ${E}; e += 64u) {
        let v = select(acc[i * ${E} + e] / total[i], 0.0, total[i] == 0.0);
        y[(line * ${T_COUNT} + query) * ${E} + e] = finish(line, query, e, v);
      }
    }
  }
}
