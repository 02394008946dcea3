//! Runs mirrors of the generated tables for `fuzz-types`, which tells it what to do on standard
//! input, a command a line, and reads an answer a line: `ok ...` or `error ...`.

use std::collections::{BTreeMap, HashSet};
use std::fs::File;
use std::io::{self, BufRead, BufWriter, Write};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use generated::{Mirror, Tables};
use mirror_runtime::jsonl::{write_row, write_string, write_value};
use mirror_runtime::store::{Op, RowValues, Schema, Snapshot};
use mirror_runtime::{
    ColumnType, NoTransaction, Options, State, Subscription, TableLayout, Transaction, Value,
};

type Answer = Result<String, Box<dyn std::error::Error>>;

/// How long a mirror may take to load, or to catch up.
const PATIENCE: Duration = Duration::from_secs(90);
const MARKER: &str = "fuzz_marker.marker";

/// Why tables were loaded again, since this was asked last. A mirror that loads several times
/// in a row publishes the last reason only, but logs all of them.
static RELOADS: Mutex<Vec<String>> = Mutex::new(Vec::new());

fn main() -> io::Result<()> {
    tracing::subscriber::set_global_default(Reloads).map_err(io::Error::other)?;
    let mut driver = Driver::default();
    for line in io::stdin().lock().lines() {
        let line = line?;
        let (command, rest) = line.split_once(' ').unwrap_or((&line, ""));
        let answer = match command {
            "leave-out" => {
                driver.left_out.insert(rest.to_owned());
                Ok(String::new())
            }
            "url" => {
                driver.url = rest.to_owned();
                Ok(String::new())
            }
            "follow" => driver.follow(),
            "wait" => driver.wait(rest),
            "dump" => driver.dump(rest),
            "replay" => driver.dump_replay(rest),
            "end" => {
                driver.end();
                Ok(String::new())
            }
            "fresh" => driver.fresh(),
            "dump-fresh" => driver.dump_fresh(rest),
            "status" => driver.status(),
            "stop" => return Ok(()),
            other => Err(format!("unknown command {other}").into()),
        };
        let text = match answer {
            Ok(text) => format!("ok {text}"),
            Err(error) => format!("error {error}"),
        };
        println!("{}", text.replace(['\n', '\r'], " "));
        io::stdout().flush()?;
    }
    Ok(())
}

#[derive(Default)]
struct Driver {
    url: String,
    left_out: HashSet<String>,
    followed: Option<Followed>,
    /// The tables that the last `fresh` loaded.
    loaded: Option<Snapshot<Tables>>,
}

/// A mirror that follows, and the state that its subscription makes.
struct Followed {
    mirror: Mirror,
    subscription: Subscription<Tables>,
    replay: Replay,
}

impl Driver {
    fn options(&self) -> Result<Options, Box<dyn std::error::Error>> {
        let mut options = Options::new(self.url.parse()?);
        let names = Tables::layouts().iter().map(|layout| layout.full_name());
        let names: Vec<String> = names.filter(|name| !self.left_out.contains(name)).collect();
        options.tables = Some(names);
        options.load_connections = 2;
        options.reconnect_max_wait = Duration::from_secs(1);
        Ok(options)
    }

    fn follow(&mut self) -> Answer {
        self.followed = None;
        RELOADS.lock().unwrap_or_else(PoisonError::into_inner).clear();
        let mirror = Mirror::connect(self.options()?, PATIENCE)?;
        let subscription = mirror.subscribe();
        let replay = Replay::of(subscription.tables());
        self.followed = Some(Followed {
            mirror,
            subscription,
            replay,
        });
        Ok(String::new())
    }

    fn running(&mut self) -> Result<&mut Followed, Box<dyn std::error::Error>> {
        self.followed.as_mut().ok_or_else(|| "no mirror was started".into())
    }

    /// Takes transactions until the marker has this number.
    fn wait(&mut self, number: &str) -> Answer {
        let running = self.running()?;
        let until = Instant::now() + PATIENCE;
        loop {
            match running.subscription.next_timeout(Duration::from_millis(200)) {
                Ok(transaction) => running.replay.apply(&transaction)?,
                Err(NoTransaction::Yet) => {
                    if let State::Failed(text) = running.mirror.status().state {
                        return Err(text.into());
                    }
                }
                Err(NoTransaction::Ended) => {
                    let error = running.mirror.error();
                    return Err(error.map_or("the mirror ended".into(), |error| error.to_string()).into());
                }
            }
            if running.replay.marker == number {
                return Ok(std::mem::take(&mut running.replay.changes).to_string());
            }
            if Instant::now() > until {
                return Err(format!("the mirror has not caught up: {:?}", running.mirror.status().state).into());
            }
        }
    }

    fn dump(&mut self, file: &str) -> Answer {
        let running = self.running()?;
        // A subscription shows the tables as they are now, to be walked by table index.
        let now = running.mirror.subscribe();
        write_tables(now.tables(), file)
    }

    fn dump_replay(&mut self, file: &str) -> Answer {
        let running = self.running()?;
        let mut out = BufWriter::new(File::create(file)?);
        for (index, layout) in Tables::layouts().iter().enumerate() {
            header(&mut out, layout)?;
            for row in running.replay.tables.get(&index).into_iter().flatten() {
                out.write_all(row.1)?;
            }
        }
        out.flush()?;
        Ok(String::new())
    }

    /// Ends the mirror that follows; the next one mirrors all tables again.
    fn end(&mut self) {
        self.followed = None;
        self.left_out.clear();
    }

    /// Loads all tables with a mirror of its own.
    fn fresh(&mut self) -> Answer {
        let mirror = Mirror::connect(self.options()?, PATIENCE)?;
        self.loaded = Some(mirror.subscribe().tables().clone());
        Ok(String::new())
    }

    fn dump_fresh(&mut self, file: &str) -> Answer {
        match &self.loaded {
            Some(tables) => write_tables(tables, file),
            None => Err("nothing was loaded".into()),
        }
    }

    /// How often tables were loaded again, and the reasons since this was asked last.
    fn status(&mut self) -> Answer {
        let running = self.running()?;
        let reloads = running.mirror.status().reloads;
        let mut reasons = RELOADS.lock().unwrap_or_else(PoisonError::into_inner);
        let reasons = std::mem::take(&mut *reasons);
        Ok(format!("{reloads} {}", reasons.join("\t")))
    }
}

/// `T {"table":"db.t","key":["a","b"]}`.
fn header(out: &mut dyn Write, layout: &'static TableLayout) -> io::Result<()> {
    let mut line = b"T {\"table\":".to_vec();
    write_string(&mut line, &layout.full_name());
    line.extend_from_slice(b",\"key\":[");
    for (at, &field) in layout.key.iter().enumerate() {
        if at > 0 {
            line.push(b',');
        }
        write_string(&mut line, layout.columns[field].name);
    }
    line.extend_from_slice(b"]}\n");
    out.write_all(&line)
}

fn write_tables(tables: &Snapshot<Tables>, file: &str) -> Answer {
    let mut out = BufWriter::new(File::create(file)?);
    for (index, layout) in Tables::layouts().iter().enumerate() {
        header(&mut out, layout)?;
        for row in tables.rows(index) {
            out.write_all(&line_of(row))?;
        }
    }
    out.flush()?;
    Ok(String::new())
}

/// `R {"a":1,...}`.
fn line_of(row: &dyn RowValues) -> Vec<u8> {
    let mut line = b"R ".to_vec();
    write_row(&mut line, row, None);
    line.push(b'\n');
    line
}

/// The rows as the subscription's changes make them, by table index and key.
struct Replay {
    tables: BTreeMap<usize, BTreeMap<Vec<u8>, Vec<u8>>>,
    marker: String,
    changes: u64,
}

impl Replay {
    fn of(tables: &Snapshot<Tables>) -> Self {
        let mut replay = Self {
            tables: BTreeMap::new(),
            marker: String::new(),
            changes: 0,
        };
        for index in 0..Tables::layouts().len() {
            for row in tables.rows(index) {
                let held = replay.tables.entry(index).or_default();
                held.insert(key_of(row), line_of(row));
            }
        }
        replay
    }

    fn apply(&mut self, transaction: &Transaction<Tables>) -> Result<(), String> {
        for change in &transaction.changes {
            let view = Tables::change_view(change);
            let name = view.layout.full_name();
            let layouts = Tables::layouts();
            let index = layouts.iter().position(|layout| layout.full_name() == name).unwrap_or(0);
            let held = self.tables.entry(index).or_default();
            self.changes += u64::from(name != MARKER && transaction.reload.is_none());
            let before = view.before.map(|row| (key_of(row), line_of(row)));
            let after = view.after.map(|row| (key_of(row), line_of(row)));
            if view.op == Op::Truncate {
                held.clear();
            }
            if let Some((key, line)) = before
                && held.remove(&key).as_ref() != Some(&line)
            {
                return Err(format!("subscription: table {name}: a `before` is not the row that was there"));
            }
            if let Some((key, line)) = after {
                if name == MARKER
                    && let Some(row) = view.after
                    && let Value::Int(number) = row.column_value(1)
                {
                    self.marker = number.to_string();
                }
                if held.insert(key, line).is_some() {
                    return Err(format!("subscription: table {name}: an `after` has the key of another row"));
                }
            }
        }
        Ok(())
    }
}

/// The key as text that only rows with equal keys have.
fn key_of(row: &dyn RowValues) -> Vec<u8> {
    let layout = row.row_layout();
    let mut key = Vec::new();
    for &field in layout.key {
        let column = &layout.columns[field];
        match row.column_value(field) {
            // Equal as numbers, so equal as keys.
            Value::Float(number) if number == 0.0 => key.push(b'0'),
            Value::Double(number) if number == 0.0 => key.push(b'0'),
            Value::Set(bits) => key.extend_from_slice(bits.to_string().as_bytes()),
            value => write_value(&mut key, &value, column),
        }
        key.push(b'\n');
        debug_assert!(!matches!(column.kind, ColumnType::Json));
    }
    key
}

/// Takes the reasons out of the mirror's log.
struct Reloads;

impl tracing::Subscriber for Reloads {
    fn enabled(&self, metadata: &tracing::Metadata<'_>) -> bool {
        *metadata.level() <= tracing::Level::WARN
    }

    fn new_span(&self, _: &tracing::span::Attributes<'_>) -> tracing::Id {
        tracing::Id::from_u64(1)
    }

    fn record(&self, _: &tracing::Id, _: &tracing::span::Record<'_>) {}

    fn record_follows_from(&self, _: &tracing::Id, _: &tracing::Id) {}

    fn event(&self, event: &tracing::Event<'_>) {
        struct Reason(Option<String>);
        impl tracing::field::Visit for Reason {
            fn record_str(&mut self, field: &tracing::field::Field, value: &str) {
                if field.name() == "reason" {
                    self.0 = Some(value.to_owned());
                }
            }
            fn record_debug(&mut self, _: &tracing::field::Field, _: &dyn std::fmt::Debug) {}
        }
        let mut reason = Reason(None);
        event.record(&mut reason);
        let mut reasons = RELOADS.lock().unwrap_or_else(PoisonError::into_inner);
        reasons.extend(reason.0);
    }

    fn enter(&self, _: &tracing::Id) {}

    fn exit(&self, _: &tracing::Id) {}
}
