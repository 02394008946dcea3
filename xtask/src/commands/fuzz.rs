//! `cargo xtask fuzz`: the fuzz targets with cargo-fuzz, one after the other.

use std::process::{Command, Stdio};

use crate::error::{Error, Outcome};
use crate::project;

/// Every target, and the longest input that makes sense for it, in bytes.
///
/// `payload` decompresses: 4 KiB can become some 130 MiB, which is as much as one run has time
/// for.
const TARGETS: [(&str, u32); 19] = [
    ("binlog_file", 8192),
    ("charset", 256),
    ("checkpoint_file", 4096),
    ("classify", 512),
    ("column_values", 512),
    ("ddl", 8192),
    ("decimal", 40),
    ("events", 1024),
    ("generate", 4096),
    ("json", 2048),
    ("json_diff", 2048),
    ("lock_file", 4096),
    ("metadata", 1024),
    ("payload", 4096),
    ("rows", 4096),
    ("schema_json", 2048),
    ("stored_rows", 2048),
    ("stream", 8192),
    ("table_map", 2048),
];

/// One run may take so many seconds, so much memory, and so much of it at once (MiB).
const LIMITS: [&str; 3] = ["-timeout=10", "-rss_limit_mb=2048", "-malloc_limit_mb=512"];

/// Options of [`fuzz`].
#[derive(Debug, Clone, clap::Args)]
pub struct FuzzBytesOptions {
    /// Targets; default: all, one after the other
    #[arg(value_name = "TARGET")]
    pub targets: Vec<String>,
    /// Minutes for each target
    #[arg(long, value_name = "M", default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..))]
    pub minutes: u64,
    /// Name the targets and stop
    #[arg(long)]
    pub list: bool,
}

/// Runs fuzz targets, from the seeds in `fuzz/seeds` and what earlier runs kept in
/// `fuzz/corpus`. An input that fails is kept in `fuzz/artifacts`.
///
/// # Errors
/// [`Error`] when a target is not known, or the nightly toolchain or cargo-fuzz is missing.
pub fn fuzz(options: &FuzzBytesOptions) -> Result<Outcome, Error> {
    if options.list {
        for (name, _) in TARGETS {
            println!("{name}");
        }
        return Ok(Outcome::Holds);
    }
    let targets = chosen(&options.targets)?;
    check_tools()?;
    let mut failed = Vec::new();
    for (name, max_len) in targets {
        println!("== {name}: {} minutes", options.minutes);
        if !run(name, max_len, options.minutes)? {
            failed.push(name);
        }
    }
    if failed.is_empty() {
        return Ok(Outcome::Holds);
    }
    println!("failed: {} (inputs: fuzz/artifacts)", failed.join(", "));
    Ok(Outcome::DoesNotHold)
}

fn chosen(names: &[String]) -> Result<Vec<(&'static str, u32)>, Error> {
    let find = |name: &String| {
        let found = TARGETS.into_iter().find(|(known, _)| known == name);
        found.ok_or_else(|| {
            let known: Vec<&str> = TARGETS.iter().map(|(known, _)| *known).collect();
            Error::Usage(format!(
                "no fuzz target is called {name:?}; there are {}",
                known.join(", ")
            ))
        })
    };
    match names {
        [] => Ok(TARGETS.to_vec()),
        names => names.iter().map(find).collect(),
    }
}

/// The toolchain and the program that fuzzing needs, with how to get them.
fn check_tools() -> Result<(), Error> {
    for (arguments, remedy) in [
        (
            ["+nightly", "--version"],
            "rustup toolchain install nightly",
        ),
        (["fuzz", "--version"], "cargo install cargo-fuzz"),
    ] {
        let works = cargo()
            .args(arguments)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|status| status.success());
        if !works {
            return Err(Error::Usage(format!(
                "`cargo {}` does not work, which fuzzing needs: {remedy}",
                arguments.join(" ")
            )));
        }
    }
    Ok(())
}

fn run(name: &str, max_len: u32, minutes: u64) -> Result<bool, Error> {
    let root = project::root();
    let corpus = root.join("fuzz/corpus").join(name);
    std::fs::create_dir_all(&corpus)
        .map_err(|source| Error::file(&corpus, "cannot be made", source))?;
    let status = cargo()
        .current_dir(&root)
        .args(["+nightly", "fuzz", "run", name])
        .arg(&corpus)
        .arg(root.join("fuzz/seeds").join(name))
        .arg("--")
        .args(LIMITS)
        .arg(format!("-max_len={max_len}"))
        .arg(format!("-max_total_time={}", minutes.saturating_mul(60)))
        .arg("-print_final_stats=1")
        .status()
        .map_err(|source| Error::Program {
            program: "cargo".to_owned(),
            source,
        })?;
    Ok(status.success())
}

/// The cargo of rustup, which knows `+nightly`; the one that runs this program does not, and
/// would be found first.
fn cargo() -> Command {
    let mut command = Command::new("cargo");
    command.env_remove("CARGO").env_remove("RUSTUP_TOOLCHAIN");
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_targets_are_those_that_have_a_program() {
        let folder = project::root().join("fuzz/fuzz_targets");
        let mut programs: Vec<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        programs.sort();
        let known: Vec<String> = TARGETS.map(|(name, _)| format!("{name}.rs")).to_vec();
        assert_eq!(programs, known);
    }

    #[test]
    fn an_unknown_target_is_refused_with_those_that_there_are() {
        let error = chosen(&["jason".to_owned()]).unwrap_err().to_string();
        assert!(error.contains("jason") && error.contains("json"), "{error}");
        assert_eq!(chosen(&[]).unwrap().len(), TARGETS.len());
        assert_eq!(chosen(&["json".to_owned()]).unwrap(), [("json", 2048)]);
    }
}
