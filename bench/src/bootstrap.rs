//! The first load of `long_table` by SELECTs, against the C client that throws the same rows
//! away.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use generated::Mirror;
use lab::Server;
use mirror_runtime::Options;
use nix::sys::resource::UsageWho;

use crate::Error;
use crate::measure::{cpu_time_of, median};
use crate::report::Measurement;

const LIMIT: Duration = Duration::from_secs(600);
const CLIENT: &str = "mysql --quick -e 'SELECT * ...' > /dev/null";

/// Seconds of several runs.
#[derive(Default)]
struct Times {
    wall: Vec<f64>,
    cpu: Vec<f64>,
}

impl Times {
    fn push(&mut self, (wall, cpu): (f64, f64)) {
        self.wall.push(wall);
        self.cpu.push(cpu);
    }
}

/// Loads the table with one connection, with as many as a mirror has by default, and with the C
/// client, in turn; nothing where there is no client to compare with.
pub(crate) fn run(server: &Server, rows: u64, runs: usize) -> Result<Vec<Measurement>, Error> {
    if server.client().is_none() {
        eprintln!("left out: no mysql client came with the server, and none is installed");
        return Ok(Vec::new());
    }
    server.exec("ANALYZE TABLE ads.long_table")?;
    let usual = Options::new(server.url().parse()?).load_connections;
    let (mut client, mut one, mut several) = (Times::default(), Times::default(), Times::default());
    // Once before the clock runs, so that all find the table in the server's memory.
    load(server, rows, usual)?;
    for _ in 0..runs {
        client.push(read_with_client(server)?);
        one.push(load(server, rows, 1)?);
        several.push(load(server, rows, usual)?);
    }
    let rate = |seconds: &mut Vec<f64>| rows as f64 / median(seconds);
    let figure = |name: &str, unit, value, baseline_value, note: String| Measurement {
        name: name.to_owned(),
        unit,
        value,
        baseline: CLIENT,
        baseline_value,
        runs,
        note,
    };
    let (wall, cpu) = (rate(&mut client.wall), rate(&mut client.cpu));
    let note = "live mirror: connecting, checks, SELECTs, inserting, publication";
    Ok(vec![
        figure(
            "bootstrap",
            "rows/s",
            rate(&mut several.wall),
            wall,
            format!("{note}; {usual} connections"),
        ),
        figure(
            "bootstrap_1_connection",
            "rows/s",
            rate(&mut one.wall),
            wall,
            note.to_owned(),
        ),
        figure(
            "bootstrap_cpu",
            "rows/CPU-s",
            rate(&mut several.cpu),
            cpu,
            format!("CPU time of the client alone; {usual} connections"),
        ),
        figure(
            "bootstrap_1_connection_cpu",
            "rows/CPU-s",
            rate(&mut one.cpu),
            cpu,
            "CPU time of the client alone".to_owned(),
        ),
    ])
}

/// Starts a mirror of the table alone; wall and CPU seconds until it is live.
fn load(server: &Server, rows: u64, connections: usize) -> Result<(f64, f64), Error> {
    let mut options = Options::new(server.url().parse()?);
    options.tables = Some(vec!["ads.long_table".into()]);
    options.load_connections = connections;
    let cpu = cpu_time_of(UsageWho::RUSAGE_SELF)?;
    let started = Instant::now();
    let mirror = Mirror::connect(options, LIMIT)?;
    let wall = started.elapsed();
    let cpu = cpu_time_of(UsageWho::RUSAGE_SELF)? - cpu;
    let held = mirror.snapshot().long_table().len() as u64;
    if held != rows {
        return Err(format!("{held} rows were loaded, expected {rows}").into());
    }
    Ok((wall.as_secs_f64(), cpu.as_secs_f64()))
}

/// Runs the C client; its wall and CPU seconds.
fn read_with_client(server: &Server) -> Result<(f64, f64), Error> {
    let mut command: Command = server.client().ok_or("there is no client")?;
    command
        .args(["--quick", "-e", "SELECT * FROM ads.long_table"])
        .stdout(Stdio::null());
    let cpu = cpu_time_of(UsageWho::RUSAGE_CHILDREN)?;
    let started = Instant::now();
    let status = command.status()?;
    let wall = started.elapsed();
    if !status.success() {
        return Err(format!("the client failed: {status}").into());
    }
    // Only children that were waited for count, and this is the one since.
    let cpu = cpu_time_of(UsageWho::RUSAGE_CHILDREN)? - cpu;
    Ok((wall.as_secs_f64(), cpu.as_secs_f64()))
}
