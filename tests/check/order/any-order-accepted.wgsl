// Module-scope declarations may be used before they are declared.
@compute @workgroup_size(size, size)
fn main() { out[0] = callee(first); }
fn callee(x : Alias) -> u32 { return x.items[0] + u32(count); }
const first = Alias(array<u32, count>());
alias Alias = Holder;
struct Holder { items : array<u32, count> }
const count = base * 2;
override size : u32 = u32(base);
const base = 2;
@group(0) @binding(0) var<storage, read_write> out : array<u32>;
const_assert count == 4;
