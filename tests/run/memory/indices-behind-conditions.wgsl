// An index that is known to be in bounds where it is used may be anything in the
// invocations that do not come there.

// run: in numbers = [3, 4000000000, 0, 8, 7, 2147483648, 65536, 1, 1000000, 9, 5, 4294967295],
//      in table = [10, 11, 12, 13, 14, 15, 16, 17],
//      out result = [13, 0, 10, 0, 17, 0, 0, 11, 0, 0, 15, 0]
@group(0) @binding(0) var<storage> numbers : array<u32>;
@group(0) @binding(1) var<storage> table : array<u32, 8>;
@group(0) @binding(2) var<storage, read_write> result : array<u32>;

@compute @workgroup_size(12)
fn main(@builtin(local_invocation_index) i : u32) {
  let n = numbers[i];
  if (n < 8) {
    result[i] = table[n];
  }
}
