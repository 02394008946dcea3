//! A TCP proxy that breaks connections on demand.

mod line;
mod packets;
mod pump;

use std::io;
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crate::error::{Error, Result};

pub use line::Fault;
use line::Line;

/// A TCP proxy between a client under test and a server: cuts, stalls, damages and counts.
///
/// Listens on a free port of 127.0.0.1 and ends, with all its connections, when dropped.
#[derive(Debug)]
pub struct Proxy {
    port: u16,
    shared: Arc<Shared>,
    acceptor: Option<JoinHandle<()>>,
}

/// What went through a [`Proxy`] since its start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ProxyCounters {
    /// Connections accepted, the refused ones too.
    pub connections: u64,
    /// Connections that are open now.
    pub open: u64,
    /// Bytes passed from the server to clients.
    pub to_client: u64,
    /// Bytes passed from clients to the server.
    pub to_server: u64,
    /// Bytes that were changed on the way, by [`Fault::Flip`] and [`Fault::FlipInRows`].
    pub flipped: u64,
}

#[derive(Debug)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
    connections: AtomicU64,
    to_client: AtomicU64,
    to_server: AtomicU64,
    flipped: AtomicU64,
}

#[derive(Debug)]
struct State {
    target: u16,
    paused: bool,
    refusing: bool,
    stopped: bool,
    cut_after: Option<u64>,
    next_stream: Option<Fault>,
    next_id: u64,
    open: Vec<Pair>,
}

/// Both ends of an open connection.
#[derive(Debug)]
struct Pair {
    id: u64,
    client: TcpStream,
    server: TcpStream,
    line: Arc<Line>,
}

impl Pair {
    fn cut(&self) {
        self.line.end();
        // Failures mean that the end is closed already.
        let _ = self.client.shutdown(Shutdown::Both);
        let _ = self.server.shutdown(Shutdown::Both);
    }
}

impl Proxy {
    /// Starts a proxy to `target`, a port of 127.0.0.1.
    ///
    /// # Errors
    /// If no port can be had or no thread started.
    pub fn start(target: u16) -> Result<Proxy> {
        let io = || Error::io("cannot start a proxy");
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).map_err(io())?;
        let port = listener.local_addr().map_err(io())?.port();
        let shared = Arc::new(Shared {
            state: Mutex::new(State {
                target,
                paused: false,
                refusing: false,
                stopped: false,
                cut_after: None,
                next_stream: None,
                next_id: 0,
                open: Vec::new(),
            }),
            changed: Condvar::new(),
            connections: AtomicU64::new(0),
            to_client: AtomicU64::new(0),
            to_server: AtomicU64::new(0),
            flipped: AtomicU64::new(0),
        });
        let for_thread = Arc::clone(&shared);
        let acceptor = thread::Builder::new()
            .name("lab-proxy".to_owned())
            .spawn(move || accept(&listener, &for_thread))
            .map_err(io())?;
        Ok(Proxy {
            port,
            shared,
            acceptor: Some(acceptor),
        })
    }

    /// TCP port of the proxy on 127.0.0.1.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// URL for `root` through the proxy.
    #[must_use]
    pub fn url(&self) -> String {
        crate::server::url(self.port)
    }

    /// Closes all open connections; new ones are let through. Returns how many were open.
    pub fn cut_all(&self) -> usize {
        let state = self.shared.lock();
        state.open.iter().for_each(Pair::cut);
        state.open.len()
    }

    /// Cuts each connection made from now on after exactly this many bytes from server to client;
    /// `None` ends that.
    pub fn cut_after(&self, bytes: impl Into<Option<u64>>) {
        self.shared.lock().cut_after = bytes.into();
    }

    /// Stops passing bytes in both directions; connections stay open, new ones wait.
    pub fn pause(&self) {
        self.shared.lock().paused = true;
    }

    /// Passes bytes again after [`Proxy::pause`].
    pub fn resume(&self) {
        self.shared.lock().paused = false;
        self.shared.changed.notify_all();
    }

    /// With `true`, closes new connections at once, as if the server were down.
    pub fn refuse(&self, refuse: bool) {
        self.shared.lock().refusing = refuse;
    }

    /// Sends new connections to another port; open ones stay.
    pub fn retarget(&self, target: u16) {
        self.shared.lock().target = target;
    }

    /// What went through so far.
    #[must_use]
    pub fn counters(&self) -> ProxyCounters {
        let open = self.shared.lock().open.len() as u64;
        ProxyCounters {
            connections: self.shared.connections.load(Ordering::SeqCst),
            open,
            to_client: self.shared.to_client.load(Ordering::SeqCst),
            to_server: self.shared.to_server.load(Ordering::SeqCst),
            flipped: self.shared.flipped.load(Ordering::SeqCst),
        }
    }

    /// Lets something go wrong with all connections that are open now. Returns how many.
    pub fn disturb(&self, fault: Fault) -> usize {
        self.disturb_those(fault, |_| true)
    }

    /// Lets something go wrong with those connections that have asked for the binlog, without
    /// TLS. Returns how many.
    pub fn disturb_streams(&self, fault: Fault) -> usize {
        self.disturb_those(fault, Line::is_stream)
    }

    /// Lets something go wrong with the next connection that asks for the binlog, from the first
    /// byte of the answer on.
    pub fn disturb_next_stream(&self, fault: Fault) {
        self.shared.lock().next_stream = Some(fault);
    }

    /// How many open connections have asked for the binlog, without TLS.
    #[must_use]
    pub fn streams(&self) -> usize {
        let state = self.shared.lock();
        let streams = state.open.iter().filter(|pair| pair.line.is_stream());
        streams.count()
    }

    /// Ends delays and throttles, and closes frozen connections.
    pub fn heal(&self) {
        for pair in &self.shared.lock().open {
            if pair.line.heal() {
                pair.cut();
            }
        }
    }

    fn disturb_those(&self, fault: Fault, wanted: impl Fn(&Line) -> bool) -> usize {
        let state = self.shared.lock();
        let hit = state.open.iter().filter(|pair| wanted(&pair.line));
        hit.map(|pair| pair.line.disturb(fault)).count()
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        {
            let mut state = self.shared.lock();
            state.stopped = true;
            state.open.iter().for_each(Pair::cut);
        }
        self.shared.changed.notify_all();
        // Wakes the acceptor, which then sees that it is to end.
        let own = SocketAddr::from((Ipv4Addr::LOCALHOST, self.port));
        let woken = TcpStream::connect_timeout(&own, Duration::from_secs(1)).is_ok();
        if let Some(acceptor) = self.acceptor.take().filter(|_| woken) {
            // It does not panic; there is nobody to tell if it did.
            let _ = acceptor.join();
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        // The state is whole between any two statements that change it.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits while paused; false if the proxy ends.
    fn may_pass(&self) -> bool {
        let mut state = self.lock();
        while state.paused && !state.stopped {
            state = self
                .changed
                .wait(state)
                .unwrap_or_else(PoisonError::into_inner);
        }
        !state.stopped
    }

    fn close(&self, id: u64) {
        self.lock().open.retain(|pair| {
            if pair.id == id {
                pair.cut();
            }
            pair.id != id
        });
    }
}

fn accept(listener: &TcpListener, shared: &Arc<Shared>) {
    for client in listener.incoming() {
        let (target, refusing) = {
            let state = shared.lock();
            if state.stopped {
                return;
            }
            (state.target, state.refusing)
        };
        let Ok(client) = client else {
            thread::sleep(Duration::from_millis(5));
            continue;
        };
        shared.connections.fetch_add(1, Ordering::SeqCst);
        if !refusing {
            // A target that is down closes the client's connection, as here `client` is dropped.
            let _ = connect(client, target, shared);
        }
    }
}

/// Connects to the target and starts a thread for each direction.
fn connect(client: TcpStream, target: u16, shared: &Arc<Shared>) -> io::Result<()> {
    let server = TcpStream::connect((Ipv4Addr::LOCALHOST, target))?;
    client.set_nodelay(true)?;
    server.set_nodelay(true)?;
    let (client_end, server_end) = (client.try_clone()?, server.try_clone()?);
    let (client_kept, server_kept) = (client.try_clone()?, server.try_clone()?);
    let (id, line) = {
        let mut state = shared.lock();
        let id = state.next_id;
        state.next_id += 1;
        let line = Arc::new(Line::new(state.cut_after));
        state.open.push(Pair {
            id,
            client: client_kept,
            server: server_kept,
            line: Arc::clone(&line),
        });
        if state.stopped {
            state.open.iter().for_each(Pair::cut);
        }
        (id, line)
    };
    let (down, up) = (Arc::clone(shared), Arc::clone(shared));
    let up_line = Arc::clone(&line);
    spawn(move || {
        pump::to_client(server, client, &line, &down);
        line.may_pass();
        down.close(id);
    })
    .and_then(|()| {
        spawn(move || {
            pump::to_server(client_end, server_end, &up_line, &up);
            up_line.may_pass();
            up.close(id);
        })
    })
    .inspect_err(|_| shared.close(id))
}

fn spawn(work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    thread::Builder::new()
        .name("lab-proxy-pump".to_owned())
        .spawn(work)
        .map(drop)
}
