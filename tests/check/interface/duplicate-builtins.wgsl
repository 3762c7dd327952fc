// A builtin value appears once among the inputs, once among the outputs.
struct A {
  @builtin(sample_mask) a : u32,   // error duplicate_builtin_value@3: 'f' has the builtin value 'sample_mask' already
}
@fragment fn f(@builtin(sample_mask) m : u32, a : A) {}
@fragment fn g(@builtin(sample_mask) m : u32) -> @builtin(sample_mask) u32 { return m; }
