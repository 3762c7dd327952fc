// SPDX-License-Identifier: Apache-2.0
//! Programs of this package find libweft where weft-sys found it.

fn main() {
    if let Ok(folder) = std::env::var("DEP_WEFT_LIBDIR") {
        println!("cargo:rustc-link-arg=-Wl,-rpath,{}", folder);
    }
}
