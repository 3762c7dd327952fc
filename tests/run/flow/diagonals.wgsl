// The longest common subsequence of two rows, one diagonal after the other; a workgroup has a
// pair of rows, and fewer invocations than a diagonal has places.
// run: groups 3, in how = [23, 14], in a = [2, 0, 0, 0, 0, 1, 1, 1, 2, 0, 2, 1, 2, 1, 2, 0, 1, 1,
//   0, 2, 1, 1, 0, 2, 2, 2, 1, 1, 2, 0, 0, 0, 0, 2, 2, 0, 0, 2, 1, 1, 2, 1, 2, 0, 2, 1, 0, 1, 0,
//   0, 0, 1, 1, 0, 2, 2, 0, 0, 2, 1, 0, 1, 1, 1, 1, 2, 0, 0, 2], in b = [2, 0, 2, 0, 2, 2, 2, 1,
//   1, 0, 2, 2, 2, 2, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 2, 2, 1, 2, 1, 2, 1, 1, 1, 2, 1,
//   2, 2, 0], out longest = [11, 10, 10]
// run: groups 2, in how = [9, 30], in a = [0, 0, 2, 0, 0, 2, 1, 0, 0, 1, 1, 1, 1, 0, 0, 0, 1, 2],
//   in b = [1, 1, 2, 1, 1, 1, 1, 1, 1, 2, 0, 2, 2, 1, 1, 0, 2, 0, 0, 1, 1, 2, 2, 1, 1, 2, 2, 1,
//   1, 1, 1, 0, 0, 1, 2, 1, 0, 1, 2, 1, 1, 2, 2, 1, 1, 0, 1, 0, 2, 1, 1, 1, 0, 1, 0, 2, 2, 2, 1,
//   0], out longest = [7, 9]

struct How { n : u32, m : u32 }

@group(0) @binding(0) var<storage> how : How;
@group(0) @binding(1) var<storage> a : array<u32>;
@group(0) @binding(2) var<storage> b : array<u32>;
@group(0) @binding(3) var<storage, read_write> longest : array<u32>;

var<workgroup> diagonals : array<array<u32, 32>, 3>;

@compute @workgroup_size(16)
fn main(@builtin(local_invocation_index) l : u32, @builtin(workgroup_id) group : vec3u) {
  for (var s = 2u; s <= how.n + how.m; s++) {
    let now = s % 3;
    let last = (s + 2) % 3;
    let before = (s + 1) % 3;
    for (var i = l; i <= how.n; i += 16) {
      if i >= 1 && s > i && s - i <= how.m {
        let j = s - i;
        if a[group.x * how.n + i - 1] == b[group.x * how.m + j - 1] {
          diagonals[now][i] = select(0u, diagonals[before][i - 1], i > 1 && j > 1) + 1;
        } else {
          diagonals[now][i] = max(select(0u, diagonals[last][i - 1], i > 1),
                                  select(0u, diagonals[last][i], j > 1));
        }
      }
    }
    workgroupBarrier();
  }
  if l == 0 { longest[group.x] = diagonals[(how.n + how.m) % 3][how.n]; }
}
