// Variables that step beside the one a loop tests: in the body, in the continuing part, down,
// past the end of all numbers, and with a `continue` on the way.
// run: groups 1, in n = [5], out b = [10, 60, 4294967286, 96, 5, 21, 16, 7]

@group(0) @binding(0) var<storage> n : array<u32, 1>;
@group(0) @binding(1) var<storage, read_write> b : array<u32>;

@compute @workgroup_size(1)
fn main() {
  var sum = 0u;
  var at = 0u;
  for (var i = 0u; i < n[0]; i++) { sum += at; at += 1; }
  b[0] = sum;
  sum = 0;
  at = 0;
  for (var i = 0u; i < n[0]; i++) { sum += at; at += 6; }
  b[1] = sum;
  at = 0;
  sum = 0;
  for (var i = 0u; i < n[0]; i++) { sum += at; at -= 1; }
  b[2] = sum;
  at = 4294967290u;
  sum = 0;
  for (var i = 3u; i < 3 + 2 * n[0]; i += 2) { sum += at; at += 14; }
  b[3] = sum - 5 * 4294967290u - 44;
  at = 0;
  sum = 0;
  var i = 0u;
  loop {
    if i >= n[0] { break; }
    if i == 2 { continue; }
    sum += 1;
    continuing { i += 1; at += 1; }
  }
  b[4] = sum + at - 4;
  at = 1;
  sum = 0;
  i = 0;
  loop {
    if i >= n[0] { break; }
    sum += at;
    if i == 1 { at += 2; i += 1; continue; }
    at += 2;
    i += 1;
  }
  b[5] = sum - 4;
  at = 6;
  sum = 0;
  for (i = 0; i < n[0]; i++) { sum += at; at -= 1; if sum > 14 { break; } }
  b[6] = sum + at - 2;
  at = 2;
  for (i = 0; i < n[0]; i++) { at += 1; }
  b[7] = at;
}
