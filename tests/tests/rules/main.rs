//! The rules of the house as tests: which crate may know which, and how every source file is kept.
//!
//! These read the work tree and the manifests; they never start a process of the product.

mod edges;
mod imports;
mod layers;
mod limits;
mod tidy;
mod words;

use std::path::{Path, PathBuf};

/// The folder of the workspace.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("this package sits in the workspace").to_path_buf()
}
