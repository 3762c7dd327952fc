// Structures of inputs do not nest; elsewhere they do.
struct Inner { @location(0) x : f32 }
struct Outer {
  inner : Inner,                                    // error invalid_io_type@3: the structure of an input cannot hold another structure
}
fn plain(o : Outer) -> f32 { return o.inner.x; }
@fragment fn f(o : Outer) {}
