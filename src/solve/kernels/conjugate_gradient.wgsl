// SPDX-License-Identifier: Apache-2.0
//
// One iteration of conjugate gradients for (transpose(J) J + diag(damping)) x = b, in seven
// entry points: multiply_rows, multiply_columns, step_length, advance, precondition,
// turn_length, turn. J is never squared; sums have a fixed order.
//
// rows        [residuals]  vec4u: first value, first of its columns, how many
// columns     [entries]    u32
// values      [entries]    ${REAL}
// list_start  [n + 1]      u32: the entries of a column of J ...
// list        [entries]    vec2u: ... as residual and value
// damping     [n]          ${REAL}
// blocks      [n]          vec4u: row of the inverse block, first column of the block, its size
// inverse     [..]         ${REAL}: inverses of the diagonal blocks, the preconditioner
// direction, image, solution, residual, conditioned   [n]  ${REAL}
// product     [residuals]  ${REAL}: J direction
// partial     [2 groups]   ${REAL}: sums of workgroups
// scalars     [4]          ${REAL}: residual . conditioned, step, turn, residual . residual
${ENABLE}

@group(0) @binding(0) var<storage, read> rows : array<vec4<u32>>;
@group(0) @binding(1) var<storage, read> columns : array<u32>;
@group(0) @binding(2) var<storage, read> values : array<${REAL}>;
@group(0) @binding(3) var<storage, read> list_start : array<u32>;
@group(0) @binding(4) var<storage, read> list : array<vec2<u32>>;
@group(0) @binding(5) var<storage, read> damping : array<${REAL}>;
@group(0) @binding(6) var<storage, read> blocks : array<vec4<u32>>;
@group(0) @binding(7) var<storage, read> inverse : array<${REAL}>;
@group(0) @binding(8) var<storage, read_write> direction : array<${REAL}>;
@group(0) @binding(9) var<storage, read_write> image : array<${REAL}>;
@group(0) @binding(10) var<storage, read_write> solution : array<${REAL}>;
@group(0) @binding(11) var<storage, read_write> residual : array<${REAL}>;
@group(0) @binding(12) var<storage, read_write> conditioned : array<${REAL}>;
@group(0) @binding(13) var<storage, read_write> product : array<${REAL}>;
@group(0) @binding(14) var<storage, read_write> partial : array<${REAL}>;
@group(0) @binding(15) var<storage, read_write> scalars : array<${REAL}>;

var<workgroup> sums : array<${REAL}, 64>;
var<workgroup> squares : array<${REAL}, 64>;

fn place(id : vec3<u32>) -> u32 {
  return id.y * 2097152u + id.x;
}

@compute @workgroup_size(64)
fn multiply_rows(@builtin(global_invocation_id) id : vec3<u32>) {
  let at = place(id);
  if at >= arrayLength(&product) {
    return;
  }
  let row = rows[at];
  var sum = ${REAL}(0);
  for (var k = 0u; k < row.z; k++) {
    sum += values[row.x + k] * direction[columns[row.y + k]];
  }
  product[at] = sum;
}

// Adds up what the invocations of a workgroup have put into sums and squares.
fn fold(index : u32) {
  for (var half = 32u; half > 0u; half /= 2u) {
    workgroupBarrier();
    if index < half {
      sums[index] += sums[index + half];
      squares[index] += squares[index + half];
    }
  }
  workgroupBarrier();
}

@compute @workgroup_size(64)
fn multiply_columns(@builtin(global_invocation_id) id : vec3<u32>,
                    @builtin(local_invocation_index) index : u32) {
  let at = place(id);
  var sum = ${REAL}(0);
  var along = ${REAL}(0);
  if at < arrayLength(&image) {
    for (var k = list_start[at]; k < list_start[at + 1u]; k++) {
      let entry = list[k];
      sum += values[entry.y] * product[entry.x];
    }
    sum += damping[at] * direction[at];
    image[at] = sum;
    along = direction[at] * sum;
  }
  sums[index] = along;
  squares[index] = ${REAL}(0);
  fold(index);
  if index == 0u {
    partial[2u * (at / 64u)] = sums[0];
  }
}

// Sums of all workgroups, in sums[0] and squares[0].
fn gather(index : u32) {
  let count = arrayLength(&partial) / 2u;
  var sum = ${REAL}(0);
  var square = ${REAL}(0);
  for (var k = index; k < count; k += 64u) {
    sum += partial[2u * k];
    square += partial[2u * k + 1u];
  }
  sums[index] = sum;
  squares[index] = square;
  fold(index);
}

@compute @workgroup_size(64)
fn step_length(@builtin(local_invocation_index) index : u32) {
  gather(index);
  if index == 0u {
    scalars[1] = select(${REAL}(0), scalars[0] / sums[0], sums[0] > ${REAL}(0));
  }
}

@compute @workgroup_size(64)
fn advance(@builtin(global_invocation_id) id : vec3<u32>) {
  let at = place(id);
  if at >= arrayLength(&solution) {
    return;
  }
  solution[at] += scalars[1] * direction[at];
  residual[at] -= scalars[1] * image[at];
}

@compute @workgroup_size(64)
fn precondition(@builtin(global_invocation_id) id : vec3<u32>,
                @builtin(local_invocation_index) index : u32) {
  let at = place(id);
  var sum = ${REAL}(0);
  var square = ${REAL}(0);
  if at < arrayLength(&conditioned) {
    let block = blocks[at];
    for (var k = 0u; k < block.z; k++) {
      sum += inverse[block.x + k] * residual[block.y + k];
    }
    conditioned[at] = sum;
    square = residual[at] * residual[at];
    sum *= residual[at];
  }
  sums[index] = sum;
  squares[index] = square;
  fold(index);
  if index == 0u {
    partial[2u * (at / 64u)] = sums[0];
    partial[2u * (at / 64u) + 1u] = squares[0];
  }
}

@compute @workgroup_size(64)
fn turn_length(@builtin(local_invocation_index) index : u32) {
  gather(index);
  if index == 0u {
    scalars[2] = select(${REAL}(0), sums[0] / scalars[0], scalars[0] > ${REAL}(0));
    scalars[0] = sums[0];
    scalars[3] = squares[0];
  }
}

@compute @workgroup_size(64)
fn turn(@builtin(global_invocation_id) id : vec3<u32>) {
  let at = place(id);
  if at >= arrayLength(&direction) {
    return;
  }
  direction[at] = conditioned[at] + scalars[2] * direction[at];
}
