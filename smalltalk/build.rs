//! Embeds the kernel's sources, in the order in which they are loaded.

use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

fn main() {
    let root = env::var("CARGO_MANIFEST_DIR").expect("cargo names the package's folder");
    let kernel = Path::new(&root).join("kernel");
    println!("cargo::rerun-if-changed={}", kernel.display());
    let order = fs::read_to_string(kernel.join("order.txt")).expect("kernel/order.txt lists the kernel's files");
    let mut code = String::from("&[\n");
    for name in order.lines().map(str::trim).filter(|line| !line.is_empty()) {
        let path = kernel.join(name);
        writeln!(code, "    ({name:?}, include_str!({path:?})),").expect("writing to a string");
    }
    code.push(']');
    let out = env::var("OUT_DIR").expect("cargo names the folder for what is made");
    fs::write(Path::new(&out).join("kernel.rs"), code).expect("the folder is there");
}
