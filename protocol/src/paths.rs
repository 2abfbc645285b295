//! Where a stone's repository and socket are, from the environment's values.
//!
//! Router and stone must agree on both without asking each other, so the rules are here, as pure functions: nothing in
//! this module reads the environment, the clock or the disk. Nobody else may put these paths together.

use fnv::FnvHasher;
use std::ffi::OsStr;
use std::hash::Hasher;
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};
use thiserror::Error;

/// The stone that is meant when nobody names one.
pub const STONE_NAME_DEFAULT: &str = "gs64stone";
/// What a repository's folder is called after its name.
pub const REPOSITORY_SUFFIX: &str = ".stone";
/// Longest path of a Unix socket: `sun_path` less its final zero.
pub const SOCKET_PATH_BYTES_MAX: usize = 107;
/// Longest name of a stone.
pub const STONE_NAME_BYTES_MAX: usize = 64;

/// The values that the paths follow from. An empty value counts as unset, and so does a relative XDG folder, as its
/// specification asks.
#[derive(Debug, Clone, Copy, Default)]
pub struct Environment<'a> {
    /// `GS_STONE`: a name, or a path if it contains a `/`.
    pub stone: Option<&'a OsStr>,
    /// `HOME`.
    pub home: Option<&'a OsStr>,
    /// `XDG_DATA_HOME`.
    pub data_home: Option<&'a OsStr>,
    /// `XDG_STATE_HOME`.
    pub state_home: Option<&'a OsStr>,
    /// `XDG_RUNTIME_DIR`.
    pub runtime_dir: Option<&'a OsStr>,
    /// The current folder, for a relative path in `GS_STONE`.
    pub current_folder: Option<&'a Path>,
}

/// Where one stone is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StonePaths {
    /// Its name.
    pub name: String,
    /// The folder of its repository.
    pub repository: PathBuf,
    /// Its socket, at most [`SOCKET_PATH_BYTES_MAX`] bytes long. The folder around it must belong to its user alone.
    pub socket: PathBuf,
}

/// The environment does not say where a stone is.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PathError {
    /// A name that cannot name a folder and a socket.
    #[error(
        "`{0}` cannot name a stone: use 1 to 64 of the characters A-Z, a-z, 0-9, `.`, `_` and `-`, the first a letter, \
         a digit or `_`; or give a path, which contains a `/`"
    )]
    Name(String),
    /// A path that names no folder.
    #[error("`{0}` names no repository: give the path of its folder, such as /data/work.stone")]
    Path(String),
    /// A relative path, and nothing that it is relative to.
    #[error("`{0}` is relative and the current folder is not known: give a path that begins with `/`")]
    Relative(String),
    /// No data folder.
    #[error("neither HOME nor XDG_DATA_HOME is set to an absolute path: set one, or give GS_STONE a path")]
    NoDataFolder,
    /// No folder for sockets.
    #[error("none of XDG_RUNTIME_DIR, XDG_STATE_HOME and HOME is set to an absolute path: set one")]
    NoSocketFolder,
}

/// The repository and the socket of the stone that the environment names.
pub fn stone_paths(environment: &Environment<'_>) -> Result<StonePaths, PathError> {
    let stone = environment.stone.filter(|value| !value.is_empty()).unwrap_or(OsStr::new(STONE_NAME_DEFAULT));
    let (name, repository) = if stone.as_bytes().contains(&b'/') {
        let repository = absolute(Path::new(stone), environment.current_folder)?;
        (repository_name(&repository)?, repository)
    } else {
        let name = checked_name(stone)?;
        let folder = data_folder(environment).ok_or(PathError::NoDataFolder)?.join("lapidary");
        let repository = folder.join(format!("{name}{REPOSITORY_SUFFIX}"));
        (name, repository)
    };
    let socket = socket_path(&socket_folder(environment).ok_or(PathError::NoSocketFolder)?, &name, &repository);
    Ok(StonePaths { name, repository, socket })
}

/// The name of the repository in this folder.
pub fn repository_name(repository: &Path) -> Result<String, PathError> {
    let bad = || PathError::Path(repository.display().to_string());
    let name = repository.file_name().ok_or_else(bad)?;
    let stem = name.as_bytes().strip_suffix(REPOSITORY_SUFFIX.as_bytes()).unwrap_or(name.as_bytes());
    checked_name(OsStr::from_bytes(stem))
}

fn checked_name(name: &OsStr) -> Result<String, PathError> {
    let valid = |byte: &u8| byte.is_ascii_alphanumeric() || b"._-".contains(byte);
    let bytes = name.as_bytes();
    let starts_well = bytes.first().is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    if !starts_well || bytes.len() > STONE_NAME_BYTES_MAX || !bytes.iter().all(valid) {
        return Err(PathError::Name(name.to_string_lossy().into_owned()));
    }
    Ok(String::from_utf8_lossy(bytes).into_owned())
}

fn absolute(path: &Path, current_folder: Option<&Path>) -> Result<PathBuf, PathError> {
    let whole = match current_folder {
        _ if path.is_absolute() => path.to_owned(),
        Some(folder) if folder.is_absolute() => folder.join(path),
        _ => return Err(PathError::Relative(path.display().to_string())),
    };
    // `..` stays: to cut it away is wrong where a folder before it is a symbolic link.
    Ok(whole.components().filter(|component| *component != Component::CurDir).collect())
}

fn folder(value: Option<&OsStr>) -> Option<&Path> {
    value.map(Path::new).filter(|path| path.is_absolute())
}

fn data_folder(environment: &Environment<'_>) -> Option<PathBuf> {
    let under_home = || folder(environment.home).map(|home| home.join(".local/share"));
    folder(environment.data_home).map(Path::to_owned).or_else(under_home)
}

fn socket_folder(environment: &Environment<'_>) -> Option<PathBuf> {
    if let Some(runtime) = folder(environment.runtime_dir) {
        return Some(runtime.join("lapidary"));
    }
    let under_home = || folder(environment.home).map(|home| home.join(".local/state"));
    let state = folder(environment.state_home).map(Path::to_owned).or_else(under_home)?;
    Some(state.join("lapidary/run"))
}

/// The socket for a repository, in `folder` if that is short enough; else in one below `/tmp` that is named after it.
fn socket_path(folder: &Path, name: &str, repository: &Path) -> PathBuf {
    let hash = hash_of(repository.as_os_str().as_bytes());
    let fits = |path: &PathBuf| path.as_os_str().len() <= SOCKET_PATH_BYTES_MAX;
    let with_name = folder.join(format!("{name}-{hash:016x}.sock"));
    let without_name = folder.join(format!("{hash:016x}.sock"));
    let elsewhere = Path::new("/tmp").join(format!("lapidary-{:016x}", hash_of(folder.as_os_str().as_bytes())));
    let last = elsewhere.join(format!("{hash:016x}.sock"));
    [with_name, without_name].into_iter().find(fits).unwrap_or(last)
}

/// FNV-1a, 64 bits: the same in every build of every version, which the standard library's hasher does not promise.
fn hash_of(bytes: &[u8]) -> u64 {
    let mut hasher = FnvHasher::default();
    hasher.write(bytes);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repository_has_the_same_socket_in_every_version() {
        assert_eq!(hash_of(b"/home/ada/.local/share/lapidary/gs64stone.stone"), 0x1596_d705_b936_fed0);
    }

    fn environment<'a>(stone: &'a str, home: &'a str) -> Environment<'a> {
        Environment { stone: Some(OsStr::new(stone)), home: Some(OsStr::new(home)), ..Environment::default() }
    }

    #[test]
    fn a_name_lives_in_the_data_folder() {
        let paths = stone_paths(&environment("", "/home/ada")).expect("a home is enough");
        assert_eq!(paths.name, "gs64stone");
        assert_eq!(paths.repository, Path::new("/home/ada/.local/share/lapidary/gs64stone.stone"));
        let socket = paths.socket.to_str().expect("plain").to_owned();
        assert!(socket.starts_with("/home/ada/.local/state/lapidary/run/gs64stone-"), "{socket}");
        let full = Environment {
            data_home: Some(OsStr::new("/data")),
            state_home: Some(OsStr::new("/state")),
            runtime_dir: Some(OsStr::new("/run/user/7")),
            ..environment("work", "/home/ada")
        };
        let paths = stone_paths(&full).expect("all is set");
        assert_eq!(paths.repository, Path::new("/data/lapidary/work.stone"));
        assert!(paths.socket.starts_with("/run/user/7/lapidary"));
        let state = Environment { runtime_dir: Some(OsStr::new("relative")), ..full };
        assert!(stone_paths(&state).expect("state").socket.starts_with("/state/lapidary/run"));
    }

    #[test]
    fn a_path_is_taken_as_it_is() {
        let paths = stone_paths(&environment("/srv//x/./old.stone/", "/home/ada")).expect("absolute");
        assert_eq!((paths.name.as_str(), paths.repository.as_path()), ("old", Path::new("/srv/x/old.stone")));
        let same = stone_paths(&environment("/srv/x/old.stone", "/home/ada")).expect("absolute");
        assert_eq!(paths, same, "one repository has one socket, however it is spelled");
        let mut relative = environment("./here.stone", "/home/ada");
        assert_eq!(stone_paths(&relative), Err(PathError::Relative("./here.stone".into())));
        relative.current_folder = Some(Path::new("/srv/x"));
        assert_eq!(stone_paths(&relative).expect("relative").repository, Path::new("/srv/x/here.stone"));
    }

    #[test]
    fn what_names_nothing_is_refused() {
        for name in ["..", ".hidden", "-flag", "a b", "ü", &"n".repeat(65)] {
            assert_eq!(stone_paths(&environment(name, "/h")), Err(PathError::Name(name.into())));
        }
        assert_eq!(stone_paths(&environment("/", "/h")), Err(PathError::Path("/".into())));
        assert_eq!(stone_paths(&environment("x", "")), Err(PathError::NoDataFolder));
        assert_eq!(stone_paths(&environment("/srv/x", "")), Err(PathError::NoSocketFolder));
    }

    #[test]
    fn a_socket_always_fits() {
        for depth in 0..40 {
            let home = format!("/{}", "folder/".repeat(depth));
            let name = "n".repeat(STONE_NAME_BYTES_MAX);
            let paths = stone_paths(&environment(&name, &home)).expect("a home is enough");
            assert!(paths.socket.as_os_str().len() <= SOCKET_PATH_BYTES_MAX, "{}", paths.socket.display());
            let other = stone_paths(&environment("other", &home)).expect("a home is enough");
            assert_ne!(paths.socket, other.socket);
        }
    }
}
