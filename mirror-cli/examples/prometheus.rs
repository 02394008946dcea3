//! Serves the metrics of a mirror to Prometheus.
//!
//! ```sh
//! cargo run -p mirror-cli --example prometheus -- mysql://user:password@host/ 127.0.0.1:9100
//! ```

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

use generated::Mirror;
use metrics_exporter_prometheus::PrometheusBuilder;
use mirror_runtime::{Options, Staleness, record_metrics};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(url), Some(listen)) = (arguments.next(), arguments.next()) else {
        return Err("usage: prometheus mysql://user:password@host/ ADDRESS:PORT".into());
    };
    let exporter = PrometheusBuilder::new().install_recorder()?;
    let mirror = Mirror::connect(Options::new(url.parse()?), Duration::from_secs(600))?;
    let listener = TcpListener::bind(&listen)?;
    println!("http://{}/metrics", listener.local_addr()?);
    for connection in listener.incoming() {
        record_metrics("ads", &mirror.status(), &Staleness::default());
        // Who went away meanwhile asks again.
        let _ = answer(connection?, &exporter.render());
    }
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
