//! One cargo workspace below the target folder that holds each golden as a package.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

/// One cargo at a time writes the manifests and waits for the build lock.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// Runs cargo over all goldens; warnings are errors, missing documentation too.
///
/// # Panics
/// When cargo fails, with what it says.
pub(crate) fn cargo(goldens: &Path, arguments: &[&str]) {
    let _guard = ONE_AT_A_TIME
        .lock()
        .unwrap_or_else(|poisoned| poisoned.into_inner());
    let target = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let workspace = workspace(goldens, &target.join("goldens"));
    let output = Command::new(env!("CARGO"))
        .args(arguments)
        .args(["--workspace", "--keep-going", "--offline", "--quiet"])
        .current_dir(&workspace)
        // The workspace's own target folder: the runtime's dependencies are there already.
        .env("CARGO_TARGET_DIR", target.parent().expect("target/tmp"))
        .env("RUSTDOCFLAGS", "-D warnings")
        .env_remove("RUSTFLAGS")
        .output()
        .expect("cargo runs");
    assert!(
        output.status.success(),
        "cargo {} fails for the goldens:\n{}",
        arguments.join(" "),
        String::from_utf8_lossy(&output.stderr)
    );
}

fn workspace(goldens: &Path, folder: &Path) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("codegen is a member");
    let mut members: Vec<String> = fs::read_dir(goldens)
        .expect("goldens are there")
        .map(|entry| {
            entry
                .expect("an entry")
                .file_name()
                .into_string()
                .expect("UTF-8")
        })
        .collect();
    members.sort();
    for member in &members {
        let source = goldens.join(member).join("src/lib.rs");
        let manifest = format!(
            "[package]\nname = \"golden_{member}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n\
             [lib]\npath = {source:?}\n\n\
             [dependencies]\nmirror-runtime = {{ path = {:?} }}\n\
             serde = {{ version = \"1\", features = [\"derive\"] }}\n\
             user_types = {{ path = \"../user_types\" }}\n\n\
             [lints.rust]\nmissing_docs = \"deny\"\nwarnings = \"deny\"\n",
            root.join("mirror-runtime"),
        );
        write(&folder.join(member).join("Cargo.toml"), &manifest);
    }
    write(&folder.join("user_types/Cargo.toml"), USER_TYPES_MANIFEST);
    write(&folder.join("user_types/src/lib.rs"), USER_TYPES);
    members.push("user_types".to_owned());
    let manifest = format!(
        "[workspace]\nresolver = \"3\"\nmembers = {members:?}\n\n{}",
        profiles(root)
    );
    write(&folder.join("Cargo.toml"), &manifest);
    if let Ok(lock) = fs::read_to_string(root.join("Cargo.lock")) {
        // The versions of the workspace, so that nothing has to be looked up.
        write(&folder.join("Cargo.lock"), &lock);
    }
    folder.to_owned()
}

const USER_TYPES_MANIFEST: &str =
    "[package]\nname = \"user_types\"\nversion = \"0.0.0\"\nedition = \"2024\"\n";

/// Types that a user of the generator may have columns held in.
const USER_TYPES: &str = r#"//! Types of columns.

/// A number.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Id(u32);

impl From<u32> for Id {
    fn from(id: u32) -> Self {
        Self(id)
    }
}

impl From<Id> for u32 {
    fn from(id: Id) -> Self {
        id.0
    }
}

/// Text that is not empty.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name(Box<str>);

impl TryFrom<Box<str>> for Name {
    type Error = &'static str;

    fn try_from(name: Box<str>) -> Result<Self, Self::Error> {
        if name.is_empty() {
            return Err("an empty name");
        }
        Ok(Self(name))
    }
}

impl From<Name> for Box<str> {
    fn from(name: Name) -> Self {
        name.0
    }
}
"#;

/// The profiles of the workspace: with others, every dependency would be built again.
fn profiles(root: &Path) -> String {
    let manifest = fs::read_to_string(root.join("Cargo.toml")).expect("the workspace's manifest");
    let start = manifest.find("[profile.").expect("profiles at its end");
    manifest[start..].to_owned()
}

/// Writes a file unless it has that text already, so that cargo sees no change.
fn write(path: &Path, text: &str) {
    if fs::read_to_string(path).is_ok_and(|old| old == text) {
        return;
    }
    fs::create_dir_all(path.parent().expect("a folder")).expect("the folder is made");
    fs::write(path, text).expect("the file is written");
}
