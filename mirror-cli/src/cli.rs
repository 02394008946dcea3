//! Arguments of `mirror`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand};
use mirror_runtime::{CheckpointOptions, WhenUnusable};

use crate::limits::LimitArguments;

/// Typed in-memory copies of MySQL and MariaDB tables, on the command line.
#[derive(Debug, Parser)]
#[command(name = "mirror", version, about, after_help = EXIT_CODES)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Print committed transactions, one JSON line each.
    Tail(TailArguments),
    /// Write the tables as they are now, one file of JSON lines per table.
    Export(ExportArguments),
    /// Compare the rows of a live mirror with the server's, in both directions.
    Verify(VerifyArguments),
    /// Load the tables, and print what the mirror's status then is.
    Status(StatusArguments),
    /// Show the status of a mirror as it changes: tables, rates, lag, memory; q or Ctrl-C ends it.
    Top(TopArguments),
    /// Say what of the server's settings, of the account's rights and of the tables stands in
    /// the way, and what to do about it. Exit code 0: nothing; 1: something; 2: it could not be
    /// looked at.
    Doctor(DoctorArguments),
}

/// Arguments of `mirror tail`.
///
/// Without --from and --gtid: the subscription of a live mirror, from now on; full rows. With
/// one of them: the stream from there, without a mirror behind it; columns absent from a row
/// image are left out.
#[derive(Debug, Args)]
pub(crate) struct TailArguments {
    #[command(flatten)]
    pub(crate) server: ServerArguments,
    #[command(flatten)]
    pub(crate) limits: LimitArguments,
    /// Start at this place in the binlog (FILE:POS), a transaction boundary.
    #[arg(long, value_name = "FILE:POS", conflicts_with_all = ["gtid", "checkpoint"])]
    pub(crate) from: Option<String>,
    /// Start after this GTID set.
    #[arg(long, value_name = "SET", conflicts_with = "checkpoint")]
    pub(crate) gtid: Option<String>,
    /// End at the position that the server has now.
    #[arg(long)]
    pub(crate) until_current: bool,
    #[command(flatten)]
    pub(crate) checkpoint: CheckpointArguments,
    /// Seconds between two checkpoints; another is written at the end.
    #[arg(
        long,
        value_name = "SECONDS",
        default_value_t = 300,
        requires = "checkpoint"
    )]
    pub(crate) checkpoint_interval: u64,
}

/// Arguments of `mirror export`.
#[derive(Debug, Args)]
pub(crate) struct ExportArguments {
    #[command(flatten)]
    pub(crate) server: ServerArguments,
    #[command(flatten)]
    pub(crate) limits: LimitArguments,
    /// Folder for the files `<database>.<table>.jsonl`; made when it is not there.
    #[arg(long, value_name = "DIR")]
    pub(crate) out: PathBuf,
    /// Compress the files with zstd (`.jsonl.zst`).
    #[arg(long)]
    pub(crate) zstd: bool,
    #[command(flatten)]
    pub(crate) checkpoint: CheckpointArguments,
}

/// Arguments of `mirror status`.
///
/// The same status that a service has by `Mirror::status`, of a mirror of this process. Exit code
/// 0: a service could use it; 1: it could not.
#[derive(Debug, Args)]
pub(crate) struct StatusArguments {
    #[command(flatten)]
    pub(crate) server: ServerArguments,
    #[command(flatten)]
    pub(crate) limits: LimitArguments,
    /// Print one JSON object.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Arguments of `mirror top`.
#[derive(Debug, Args)]
pub(crate) struct TopArguments {
    #[command(flatten)]
    pub(crate) server: ServerArguments,
    #[command(flatten)]
    pub(crate) limits: LimitArguments,
    /// Seconds between two looks.
    #[arg(long, default_value_t = 1.0, value_name = "SECONDS", value_parser = interval)]
    pub(crate) interval: f64,
}

fn interval(text: &str) -> Result<f64, String> {
    let expected = || "expected seconds from 0.1 to 3600".to_owned();
    let seconds: f64 = text.parse().map_err(|_| expected())?;
    match (0.1..=3600.0).contains(&seconds) {
        true => Ok(seconds),
        false => Err(expected()),
    }
}

/// Arguments of `mirror doctor`.
#[derive(Debug, Args)]
pub(crate) struct DoctorArguments {
    #[command(flatten)]
    pub(crate) server: ServerArguments,
    /// Print one JSON object.
    #[arg(long)]
    pub(crate) json: bool,
}

/// Arguments of `mirror verify`.
///
/// Loads the tables, and compares every row with the server's at one position while both go on;
/// nothing is locked. Prints what was compared, and tables and first keys that differ, on
/// standard error.
#[derive(Debug, Args)]
pub(crate) struct VerifyArguments {
    #[command(flatten)]
    pub(crate) server: ServerArguments,
    #[command(flatten)]
    pub(crate) limits: LimitArguments,
}

/// Where to start from, and what to leave for the next start.
#[derive(Debug, Args)]
pub(crate) struct CheckpointArguments {
    /// Folder of a checkpoint: start from the one that is there, without a SELECT of any row, and
    /// write one at the end. Made when it is not there.
    #[arg(long, value_name = "DIR")]
    pub(crate) checkpoint: Option<PathBuf>,
    /// What to do about a checkpoint that cannot be used.
    #[arg(
        long,
        value_name = "WHAT",
        default_value = "bootstrap",
        requires = "checkpoint"
    )]
    pub(crate) unusable_checkpoint: UnusableCheckpoint,
}

/// What to do about a checkpoint that cannot be used.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
pub(crate) enum UnusableCheckpoint {
    /// Say why, and load the tables from the server.
    Bootstrap,
    /// Say why, and end with exit code 10.
    Refuse,
}

impl CheckpointArguments {
    /// The options of a mirror; `interval` between two checkpoints, if there is to be more than
    /// the last.
    pub(crate) fn options(&self, interval: Option<Duration>) -> Option<CheckpointOptions> {
        let folder = self.checkpoint.as_ref()?;
        Some(CheckpointOptions {
            interval,
            when_unusable: match self.unusable_checkpoint {
                UnusableCheckpoint::Bootstrap => WhenUnusable::Bootstrap,
                UnusableCheckpoint::Refuse => WhenUnusable::Refuse,
            },
            ..CheckpointOptions::new(folder)
        })
    }
}

/// Which server, and which tables.
#[derive(Debug, Args)]
pub(crate) struct ServerArguments {
    /// Server, as mysql://user:password@host:port/?ssl-mode=... . Without a password there, the
    /// variable MIRROR_PASSWORD or the parameter password-file has it: arguments are shown to
    /// everybody on the machine.
    #[arg(long, env = "DATABASE_URL", value_name = "URL", hide_env_values = true)]
    pub(crate) url: String,
    /// Only these tables (database.table), separated by commas.
    #[arg(long, value_name = "DB.TABLE,...", value_delimiter = ',')]
    pub(crate) tables: Option<Vec<String>>,
}

const EXIT_CODES: &str = "Exit codes:
  0   done, or ended by SIGINT or SIGTERM
  1   the mirror had to stop: a table on the server is not what was compiled in, or cannot be followed;
      verify: rows differ
  2   wrong arguments, or a --from where no event starts; verify: rows changed too fast to be compared, and the others are equal
  3   the server cannot be reached, or the connection broke and could not be made again
  4   the server refused user or password
  5   a server setting does not serve (binlog off, format not ROW, ...)
  6   a right is missing
  7   another replica uses the same server id
  8   the start position is not on the server any more
  9   the output, or a checkpoint, cannot be written
  10  the checkpoint cannot be used and is refused, or its folder is in use by another mirror
  11  a limit was reached (--max-memory, --max-event, ...)
  130 an export or verify was interrupted; files are whole or absent
`mirror doctor` ends with 0 (nothing stands in the way), 1 (something does) or 2 (it could not be looked at).
Set MIRROR_LOG=info (or debug) for a log on standard error.";
