// SPDX-License-Identifier: Apache-2.0
//! Finds libweft: in the folder that WEFT_LIB_DIR names, else by pkg-config.

use std::env;
use std::process::Command;

fn pkg_config(option: &str) -> Option<String> {
    let program = env::var("PKG_CONFIG").unwrap_or_else(|_| "pkg-config".into());
    let output = Command::new(program).args([option, "weft"]).output().ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_string())
}

fn main() {
    for name in ["WEFT_LIB_DIR", "PKG_CONFIG", "PKG_CONFIG_PATH"] {
        println!("cargo:rerun-if-env-changed={}", name);
    }
    let folder = env::var("WEFT_LIB_DIR").ok().or_else(|| pkg_config("--variable=libdir"));
    match folder {
        Some(folder) => {
            println!("cargo:rustc-link-search=native={}", folder);
            println!("cargo:libdir={}", folder);
        }
        None => println!(
            "cargo:warning=libweft was not found: set WEFT_LIB_DIR to its folder, or \
             PKG_CONFIG_PATH to that of weft.pc"
        ),
    }
    println!("cargo:rustc-link-lib=dylib=weft");
}
