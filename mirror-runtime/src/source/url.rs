//! The server's address: `mysql://user:password@host:port/database?ssl-mode=...`. Several servers
//! that have the same data stand one behind the other: `@host:port,host:port/`.

use std::borrow::Cow;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use mysql::{ClientIdentity, OptsBuilder, SslOpts};

use super::error::SourceError;
use super::url_parts::{decode, invalid, parse_place, password_of, unknown};

/// Largest packet that the protocol has, in bytes.
pub(crate) const MAX_PACKET_BYTES: usize = 1 << 30;
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// Idle time before the first probe of a silent peer.
const KEEPALIVE_MS: u32 = 30_000;
const KEEPALIVE_INTERVAL_SECS: u32 = 10;
const KEEPALIVE_PROBES: u32 = 3;
/// How long sent bytes may stay unacknowledged.
const USER_TIMEOUT_MS: u32 = 60_000;

/// How much TLS is asked for; the values of the MySQL client's `--ssl-mode`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum SslMode {
    /// No TLS.
    Disabled,
    /// TLS without a check of the certificate when the server offers it, else none.
    #[default]
    Preferred,
    /// TLS without a check of the certificate, or no connection.
    Required,
    /// TLS with a certificate of a known authority, whatever host it names.
    VerifyCa,
    /// TLS with a certificate of a known authority for this host.
    VerifyIdentity,
}

const SSL_MODES: [(&str, SslMode); 5] = [
    ("disabled", SslMode::Disabled),
    ("preferred", SslMode::Preferred),
    ("required", SslMode::Required),
    ("verify-ca", SslMode::VerifyCa),
    ("verify-identity", SslMode::VerifyIdentity),
];

const PARAMETERS: [&str; 6] = [
    "ssl-mode",
    "ssl-ca",
    "ssl-cert",
    "ssl-key",
    "socket",
    "password-file",
];

/// Where the server is and how to log in.
///
/// Printing it, with `Debug` too, never shows the password.
#[derive(Clone, PartialEq, Eq)]
pub struct ServerUrl {
    user: String,
    password: String,
    host: String,
    port: u16,
    /// Hosts and ports of further servers.
    further: Vec<(String, u16)>,
    database: Option<String>,
    socket: Option<String>,
    ssl_mode: SslMode,
    ssl_ca: Option<PathBuf>,
    /// The client's certificate, and its key.
    ssl_cert: Option<PathBuf>,
    ssl_key: Option<PathBuf>,
}

impl ServerUrl {
    /// User name; empty when the URL has none.
    #[must_use]
    pub fn user(&self) -> &str {
        &self.user
    }

    /// Host name or address of the first server; IPv6 without brackets.
    #[must_use]
    pub fn host(&self) -> &str {
        &self.host
    }

    /// TCP port of the first server.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// One URL for each server that this one names (`host:port,host:port`), in its order; never
    /// none.
    #[must_use]
    pub fn servers(&self) -> Vec<Self> {
        let first = (self.host.clone(), self.port);
        let places = std::iter::once(first).chain(self.further.iter().cloned());
        places
            .map(|(host, port)| Self {
                host,
                port,
                further: Vec::new(),
                ..self.clone()
            })
            .collect()
    }

    /// The database of the path.
    #[must_use]
    pub fn database(&self) -> Option<&str> {
        self.database.as_deref()
    }

    /// How much TLS is asked for.
    #[must_use]
    pub fn ssl_mode(&self) -> SslMode {
        self.ssl_mode
    }

    /// The same server with another default database.
    #[must_use]
    pub fn with_database(mut self, database: Option<&str>) -> Self {
        self.database = database.map(str::to_owned);
        self
    }

    /// Whether there is a password.
    #[must_use]
    pub fn has_password(&self) -> bool {
        !self.password.is_empty()
    }

    /// The same server with another password.
    #[must_use]
    pub fn with_password(mut self, password: impl Into<String>) -> Self {
        self.password = password.into();
        self
    }

    /// `host:port` of the first server, or the socket's path, for messages.
    #[must_use]
    pub fn address(&self) -> String {
        match &self.socket {
            Some(socket) => socket.clone(),
            None if self.host.contains(':') => format!("[{}]:{}", self.host, self.port),
            None => format!("{}:{}", self.host, self.port),
        }
    }

    /// The Unix socket's path, when the URL has one.
    pub(crate) fn socket(&self) -> Option<&str> {
        self.socket.as_deref()
    }

    /// Whether the files for TLS can be read: the driver would say no more than that some file is
    /// missing.
    ///
    /// # Errors
    /// For the first that cannot.
    pub(crate) fn check_files(&self) -> Result<(), SourceError> {
        let files = [
            ("ssl-ca", &self.ssl_ca),
            ("ssl-cert", &self.ssl_cert),
            ("ssl-key", &self.ssl_key),
        ];
        for (name, path) in files {
            let Some(path) = path else { continue };
            std::fs::read(path).map_err(|error| {
                invalid(&format!(
                    "{name} {} cannot be read: {error}",
                    path.display()
                ))
            })?;
        }
        Ok(())
    }

    /// The driver's options, for a connection to `host` with or without TLS, which takes packets
    /// of so many bytes.
    pub(crate) fn options(
        &self,
        host: &str,
        tls: bool,
        read_timeout: Option<Duration>,
        max_packet: usize,
    ) -> OptsBuilder {
        let password = (!self.password.is_empty()).then_some(self.password.as_str());
        let user = (!self.user.is_empty()).then_some(self.user.as_str());
        OptsBuilder::new()
            .ip_or_hostname(Some(host))
            .tcp_port(self.port)
            .socket(self.socket.as_deref())
            .user(user)
            .pass(password)
            .db_name(self.database.as_deref())
            .prefer_socket(false)
            .max_allowed_packet(Some(max_packet.min(MAX_PACKET_BYTES)))
            .tcp_keepalive_time_ms(Some(KEEPALIVE_MS))
            .tcp_keepalive_probe_interval_secs(Some(KEEPALIVE_INTERVAL_SECS))
            .tcp_keepalive_probe_count(Some(KEEPALIVE_PROBES))
            .tcp_user_timeout_ms(Some(USER_TIMEOUT_MS))
            .tcp_connect_timeout(Some(CONNECT_TIMEOUT))
            .read_timeout(read_timeout)
            .ssl_opts(if tls { Some(self.tls_options()) } else { None })
    }

    fn tls_options(&self) -> SslOpts {
        let identity = self.ssl_cert.clone().zip(self.ssl_key.clone());
        let identity =
            identity.map(|(cert, key)| ClientIdentity::new(Cow::Owned(cert), Cow::Owned(key)));
        let options = SslOpts::default()
            .with_root_cert_path(self.ssl_ca.clone().map(Cow::Owned))
            .with_client_identity(identity);
        match self.ssl_mode {
            SslMode::VerifyIdentity => options,
            SslMode::VerifyCa => options.with_danger_skip_domain_validation(true),
            SslMode::Disabled | SslMode::Preferred | SslMode::Required => options
                .with_danger_skip_domain_validation(true)
                .with_danger_accept_invalid_certs(true),
        }
    }

    fn set_parameter(&mut self, name: &str, value: String) -> Result<(), SourceError> {
        match name {
            "ssl-mode" => {
                let wanted = value.to_ascii_lowercase().replace('_', "-");
                let mode = SSL_MODES.iter().find(|(name, _)| *name == wanted);
                self.ssl_mode = mode.map(|(_, mode)| *mode).ok_or_else(|| {
                    let names = SSL_MODES.map(|(name, _)| name);
                    unknown("ssl-mode", &value, &names)
                })?;
            }
            "ssl-ca" => self.ssl_ca = Some(PathBuf::from(value)),
            "ssl-cert" => self.ssl_cert = Some(PathBuf::from(value)),
            "ssl-key" => self.ssl_key = Some(PathBuf::from(value)),
            "password-file" => self.password = password_of(&value)?,
            "socket" => self.socket = Some(value),
            _ => return Err(unknown("parameter", name, &PARAMETERS)),
        }
        Ok(())
    }
}

impl FromStr for ServerUrl {
    type Err = SourceError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let rest = ["mysql://", "mariadb://"]
            .iter()
            .find_map(|scheme| text.trim().strip_prefix(scheme))
            .ok_or_else(|| invalid("it does not start with mysql://"))?;
        // The authority ends at the first slash or question mark: others are percent-encoded.
        let end = rest.find(['/', '?']).unwrap_or(rest.len());
        let (authority, rest) = rest.split_at(end);
        let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
        let (account, place) = authority.rsplit_once('@').unwrap_or(("", authority));
        let (user, password) = account.split_once(':').unwrap_or((account, ""));
        let mut places = place.split(',').map(parse_place);
        let (host, port) = places.next().unwrap_or_else(|| parse_place(""))?;
        let further: Vec<(String, u16)> = places.collect::<Result<_, _>>()?;
        let path = path.strip_prefix('/').unwrap_or(path);
        if path.contains('/') {
            return Err(invalid("there is more than one slash behind the host"));
        }
        let database = decode(path, "the database")?;
        let mut url = Self {
            user: decode(user, "the user")?,
            password: decode(password, "the password")?,
            host,
            port,
            further,
            database: (!database.is_empty()).then_some(database),
            socket: None,
            ssl_mode: SslMode::default(),
            ssl_ca: None,
            ssl_cert: None,
            ssl_key: None,
        };
        for parameter in query.split('&').filter(|parameter| !parameter.is_empty()) {
            let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
            if value.is_empty() {
                let shown = name.chars().take(40).collect::<String>();
                return Err(invalid(&format!("parameter '{shown}' has no value")));
            }
            url.set_parameter(name, decode(value, name)?)?;
        }
        if url.ssl_cert.is_some() != url.ssl_key.is_some() {
            return Err(invalid("ssl-cert and ssl-key belong together"));
        }
        if url.socket.is_some() && !url.further.is_empty() {
            return Err(invalid(
                "a socket is of one server, and the URL names several",
            ));
        }
        Ok(url)
    }
}

fn write_place(f: &mut fmt::Formatter<'_>, host: &str, port: u16) -> fmt::Result {
    match host.contains(':') {
        true => write!(f, "[{host}]:{port}"),
        false => write!(f, "{host}:{port}"),
    }
}

impl fmt::Display for ServerUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("mysql://")?;
        if !self.user.is_empty() {
            f.write_str(&self.user)?;
            if !self.password.is_empty() {
                f.write_str(":***")?;
            }
            f.write_str("@")?;
        }
        write_place(f, &self.host, self.port)?;
        for (host, port) in &self.further {
            f.write_str(",")?;
            write_place(f, host, *port)?;
        }
        f.write_str("/")?;
        if let Some(database) = &self.database {
            f.write_str(database)?;
        }
        if let Some(socket) = &self.socket {
            write!(f, "?socket={socket}")?;
        }
        Ok(())
    }
}

impl fmt::Debug for ServerUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ServerUrl({self}, ssl-mode {:?})", self.ssl_mode)
    }
}

#[cfg(test)]
#[path = "url_tests.rs"]
mod tests;
