//! Serves the metrics of a mirror to Prometheus. The last argument is the label `mirror`, which
//! tells several mirrors apart.
//!
//! ```sh
//! cargo run -p mirror-cli --example prometheus -- mysql://user:password@host/ 127.0.0.1:9100 ads
//! ```

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::time::Duration;

use generated::Mirror;
use metrics_exporter_prometheus::PrometheusBuilder;
use mirror_runtime::{Options, Staleness, describe_metrics, record_metrics};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [url, listen, label] = arguments.as_slice() else {
        return Err("usage: prometheus mysql://user:password@host/ ADDRESS:PORT LABEL".into());
    };
    let listener = TcpListener::bind(listen).map_err(|error| {
        format!("cannot listen at {listen}: {error}; give another ADDRESS:PORT")
    })?;
    let exporter = PrometheusBuilder::new().install_recorder()?;
    describe_metrics();
    // Its metrics are served while it loads, too: `mirror_ready` is 0 until it has.
    let mirror = Arc::new(Mirror::start(Options::new(url.parse()?))?);
    println!("http://{}/metrics", listener.local_addr()?);
    let (shown, label) = (Arc::clone(&mirror), label.clone());
    std::thread::spawn(move || {
        for connection in listener.incoming().flatten() {
            record_metrics(&label, &shown.status(), &Staleness::default());
            // Who went away meanwhile asks again.
            let _ = answer(connection, &exporter.render());
        }
    });
    mirror.wait_until_ended()?;
    Ok(())
}

/// Answers whatever was asked with the metrics.
fn answer(connection: TcpStream, text: &str) -> std::io::Result<()> {
    connection.set_read_timeout(Some(Duration::from_secs(5)))?;
    for line in BufReader::new(&connection).lines() {
        if line?.is_empty() {
            break;
        }
    }
    write!(
        &connection,
        "HTTP/1.1 200 OK\r\nContent-Type: text/plain; version=0.0.4\r\n\
         Content-Length: {}\r\nConnection: close\r\n\r\n{text}",
        text.len()
    )
}
