// What was loaded or stored is loaded again, with and without writes to it between.
// run: entry maybe_the_same, groups 1, in a = [1, 8, 15, 22, 29, 36, 43, 50, 57, 64, 71, 78, 85,
//   92, 99, 106, 113, 120, 127, 134, 141, 148, 155, 162, 169, 176, 183, 190, 197, 204, 211, 218,
//   225, 232, 239, 246, 253, 260, 267, 274, 281, 288, 295, 302, 309, 316, 323, 330], in idx = [0,
//   33, 34, 3, 36, 37, 6, 39, 40, 9, 42, 43, 12, 45, 46, 15], out a = [202, 16, 30, 244, 58, 72,
//   286, 100, 114, 328, 142, 156, 370, 184, 198, 412, 113, 120, 127, 134, 141, 148, 155, 162, 169,
//   176, 183, 190, 197, 204, 211, 218, 225, 108, 115, 246, 129, 136, 267, 150, 157, 288, 171, 178,
//   309, 192, 199, 330], out b = [304, 124, 145, 388, 187, 208, 472, 250, 271, 556, 313, 334, 640,
//   376, 397, 724]

// run: entry fields, groups 1, in r = [2, 5, 8, 11, 14, 17, 20, 23, 26, 29, 32, 35, 38, 41, 44,
//   47, 50, 53, 56, 59, 62, 65, 68, 71, 74, 77, 80, 83, 86, 89, 92, 95, 98, 101, 104, 107, 110,
//   113, 116, 119, 122, 125, 128, 131, 134, 137, 140, 143, 146, 149, 152, 155, 158, 161, 164, 167,
//   170, 173, 176, 179, 182, 185, 188, 191], out r = [12, 21, 10, 16, 48, 57, 34, 40, 84, 93, 58,
//   64, 120, 129, 82, 88, 156, 165, 106, 112, 192, 201, 130, 136, 228, 237, 154, 160, 264, 273,
//   178, 184, 300, 309, 202, 208, 336, 345, 226, 232, 372, 381, 250, 256, 408, 417, 274, 280, 444,
//   453, 298, 304, 480, 489, 322, 328, 516, 525, 346, 352, 552, 561, 370, 376], out b = [148, 424,
//   700, 976, 1252, 1528, 1804, 2080, 2356, 2632, 2908, 3184, 3460, 3736, 4012, 4288]

// run: entry parts, groups 1, in v = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16,
//   17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39,
//   40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62,
//   63], out v = [11, 17, 13, 14, 43, 61, 45, 46, 75, 105, 77, 78, 107, 149, 109, 110, 139, 193,
//   141, 142, 171, 237, 173, 174, 203, 281, 205, 206, 235, 325, 237, 238, 267, 369, 269, 270, 299,
//   413, 301, 302, 331, 457, 333, 334, 363, 501, 365, 366, 395, 545, 397, 398, 427, 589, 429, 430,
//   459, 633, 461, 462, 491, 677, 493, 494], out b = [30, 106, 182, 258, 334, 410, 486, 562, 638,
//   714, 790, 866, 942, 1018, 1094, 1170]

// run: entry others_write, groups 1, out b = [2, 9, 22, 41, 66, 97, 134, 177, 226, 281, 342,
//   409, 482, 561, 646, 225]

@group(0) @binding(0) var<storage, read_write> a : array<u32>;
@group(0) @binding(1) var<storage, read_write> b : array<u32>;
@group(0) @binding(2) var<storage> idx : array<u32>;

struct Record { x : u32, y : u32, dx : u32, dy : u32 }
@group(0) @binding(3) var<storage, read_write> r : array<Record>;
@group(0) @binding(4) var<storage, read_write> v : array<vec4u>;

@compute @workgroup_size(16)
fn maybe_the_same(@builtin(local_invocation_index) i : u32) {
  let j = idx[i];
  let x = a[i];
  a[j] = x + 100;
  let y = a[i];
  a[i] = y * 2;
  b[i] = x + y + a[j];
}

@compute @workgroup_size(16)
fn fields(@builtin(local_invocation_index) i : u32) {
  r[i].dx += r[i].x;
  r[i].dy += r[i].y;
  r[i].x += r[i].dx;
  r[i].y += r[i].dy;
  b[i] = r[i].x + r[i].y * 2 + r[i].dx * 3 + r[i].dy * 4;
}

fn total(x : vec4u) -> u32 { return x.x + x.y + x.z + x.w; }

@compute @workgroup_size(16)
fn parts(@builtin(local_invocation_index) i : u32) {
  v[i].y = total(v[i]);
  v[i] += total(v[i]);
  b[i] = v[i].y + v[i].z;
}

var<workgroup> own : array<u32, 16>;

@compute @workgroup_size(16)
fn others_write(@builtin(local_invocation_index) i : u32) {
  own[(i + 1) % 16] = 5;
  workgroupBarrier();
  let before = own[i];
  workgroupBarrier();
  own[i] = i * i * (before - 4);
  let mine = own[i];
  workgroupBarrier();
  b[i] = mine + own[(i + 1) % 16] * 2;
}
