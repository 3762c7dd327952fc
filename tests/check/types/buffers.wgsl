// Buffer types.
override o = 16;
@group(0) @binding(0) var<storage> a : buffer<3>;       // error invalid_array_size: must be a multiple of 4 bytes, found 3
@group(0) @binding(1) var<storage> b : buffer<0>;       // error invalid_array_size: must be greater than 0
@group(0) @binding(2) var<storage> c : buffer<o>;       // error invalid_store_type: its size is not fixed when the module is made
@group(0) @binding(3) var<uniform> d : buffer;          // error invalid_store_type: cannot be stored in the address space 'uniform'
@group(0) @binding(4) var<uniform> e : buffer<o>;       // error invalid_store_type:
var<workgroup> f : buffer;                              // error invalid_store_type: its size is not fixed
var<private> g : buffer<16>;                            // error invalid_store_type: it is not made of plain values
var<workgroup> fine1 : buffer<o>;
var<workgroup> fine2 : buffer<16>;
@group(0) @binding(5) var<uniform> fine3 : buffer<16>;
@group(0) @binding(6) var<storage, read_write> fine4 : buffer<16>;
@group(0) @binding(7) var<storage, read_write> fine5 : buffer;
fn f1() { var x : buffer<16>; }                         // error invalid_store_type:
fn f2(x : buffer<16>) {}                                // error invalid_parameter_type:
fn f3() { let x = fine2; }                              // error not_loadable: use bufferView to look into a buffer
