// A pointer into a module-scope variable that the function also uses by name.
var<private> x : i32;
var<private> y : i32;
@group(0) @binding(0) var<storage, read_write> s : array<i32, 4>;
var<workgroup> a : atomic<u32>;
fn write_x(p : ptr<private, i32>) { x = *p; }
fn read_x(p : ptr<private, i32>) -> i32 { return x + *p; }
fn write_p_read_x(p : ptr<private, i32>) { *p = x; }
fn write_both(p : ptr<private, i32>) { *p = 1; x = 1; }
fn calls(p : ptr<private, i32>) { write_x(p); }
fn other(p : ptr<private, i32>) { touch(); *p = 1; }
fn touch() { x++; }
fn storage_(p : ptr<storage, i32, read_write>) { *p = s[1]; }
fn atomics(p : ptr<workgroup, atomic<u32>>) { atomicStore(p, 1u); _ = atomicLoad(&a); }
fn accepted() {
  _ = read_x(&x);
  write_x(&y);
  write_p_read_x(&y);
  other(&y);
}
fn rejected() {
  write_x(&x);                  // error aliased_pointer: reads through this pointer and also writes the variable 'x'
  write_p_read_x(&x);           // error aliased_pointer: writes through this pointer and also reads the variable 'x'
  write_both(&x);               // error aliased_pointer: writes through this pointer and also writes the variable 'x'
  calls(&x);                    // error aliased_pointer: the function 'calls' reads through this pointer and also writes
  other(&x);                    // error aliased_pointer: the function 'other'
  storage_(&s[0]);              // error aliased_pointer: the variable 's'
  atomics(&a);                  // error aliased_pointer: the variable 'a'
}
