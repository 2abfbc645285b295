//! Where the product's binaries are: beside the running test or bench executable.

use std::path::PathBuf;

/// The path of one of the product's binaries.
///
/// # Panics
/// If it is not there, with the command that builds it.
pub fn find(name: &str) -> PathBuf {
    let own = std::env::current_exe().expect("the path of this executable");
    let folder = own.parent().expect("a folder around this executable");
    let folder = if folder.ends_with("deps") { folder.parent().expect("a folder around deps") } else { folder };
    let path = folder.join(name);
    assert!(
        path.is_file(),
        "{} is missing: build it first, with `cargo build --workspace --bins`{}; scripts/run-tests.sh does so",
        path.display(),
        if folder.ends_with("release") { " and --release" } else { "" },
    );
    path
}

/// The folder of the workspace.
pub fn workspace() -> PathBuf {
    let package = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    package.parent().expect("this package sits in the workspace").to_path_buf()
}
