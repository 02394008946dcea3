//! `mysql://user:password@host:port/db?ssl-mode=...` taken apart, without ever repeating the
//! password.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use crate::error::Error;

use mysql::{Opts, OptsBuilder, SslOpts};

/// A server's address and how to log in. Its `Display` and `Debug` leave out the password.
#[derive(Clone)]
pub struct ServerUrl {
    opts: Opts,
    ssl: SslMode,
    ssl_ca: Option<PathBuf>,
}

/// What is wrong with a URL. The URL itself is not part of the message: it holds a password.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UrlError {
    /// Not of the form that is expected.
    #[error(
        "the server URL cannot be read: {problem}\n  expected: mysql://user:password@host:port/database?ssl-mode=...\n  \
         remedy: percent-encode reserved characters of user and password (`@` is %40, `/` is %2F, `:` is %3A, `?` is %3F, `#` is %23, `%` is %25)"
    )]
    Malformed {
        /// What the parser saw.
        problem: String,
    },
    /// An unknown value of `ssl-mode`.
    #[error(
        "the server URL has ssl-mode={found}\n  expected: DISABLED, PREFERRED, REQUIRED, VERIFY_CA or VERIFY_IDENTITY"
    )]
    SslMode {
        /// The value that was given.
        found: String,
    },
}

/// How the connection is protected (MySQL manual, "Command Options for Encrypted Connections").
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SslMode {
    /// Never.
    Disabled,
    /// When the server can.
    Preferred,
    /// Always; any certificate.
    Required,
    /// Always; the certificate comes from a known authority.
    VerifyCa,
    /// Always; the certificate comes from a known authority and names the host.
    VerifyIdentity,
}

impl SslMode {
    fn parse(text: &str) -> Result<Self, UrlError> {
        match text.to_ascii_uppercase().replace('-', "_").as_str() {
            "DISABLED" => Ok(Self::Disabled),
            "PREFERRED" => Ok(Self::Preferred),
            "REQUIRED" => Ok(Self::Required),
            "VERIFY_CA" => Ok(Self::VerifyCa),
            "VERIFY_IDENTITY" => Ok(Self::VerifyIdentity),
            _ => Err(UrlError::SslMode {
                found: text.to_owned(),
            }),
        }
    }
}

impl ServerUrl {
    /// Reads a URL.
    ///
    /// # Errors
    /// [`UrlError`] when it is not a `mysql:` URL, or has a parameter that nobody knows.
    pub fn parse(url: &str) -> Result<Self, UrlError> {
        let (base, query) = url.split_once('?').unwrap_or((url, ""));
        let mut ssl = SslMode::Preferred;
        let mut ssl_ca = None;
        let mut rest = Vec::new();
        for parameter in query.split('&').filter(|p| !p.is_empty()) {
            match parameter.split_once('=') {
                Some(("ssl-mode", value)) => ssl = SslMode::parse(value)?,
                Some(("ssl-ca", value)) => ssl_ca = Some(PathBuf::from(value)),
                _ => rest.push(parameter),
            }
        }
        let plain = if rest.is_empty() {
            base.to_owned()
        } else {
            format!("{base}?{}", rest.join("&"))
        };
        let opts = Opts::from_url(&plain).map_err(|error| UrlError::Malformed {
            problem: describe(&error),
        })?;
        Ok(Self { opts, ssl, ssl_ca })
    }

    /// `host:port`.
    #[must_use]
    pub fn address(&self) -> String {
        format!(
            "{}:{}",
            self.opts.get_ip_or_hostname(),
            self.opts.get_tcp_port()
        )
    }

    /// User name; empty when the URL has none.
    #[must_use]
    pub fn user(&self) -> &str {
        self.opts.get_user().unwrap_or("")
    }

    /// Database of the URL's path.
    #[must_use]
    pub fn database(&self) -> Option<&str> {
        self.opts.get_db_name().filter(|name| !name.is_empty())
    }

    pub(crate) fn ssl_mode(&self) -> SslMode {
        self.ssl
    }

    /// Options for one connection without a default database, so that a missing database is
    /// found by name later and not at the handshake.
    pub(crate) fn connection(&self, ssl: SslMode) -> Opts {
        let mut tls = SslOpts::default();
        if let Some(path) = &self.ssl_ca {
            tls = tls.with_root_cert_path(Some(path.clone()));
        }
        let tls = match ssl {
            SslMode::Disabled => None,
            SslMode::Preferred | SslMode::Required => Some(
                tls.with_danger_accept_invalid_certs(true)
                    .with_danger_skip_domain_validation(true),
            ),
            SslMode::VerifyCa => Some(tls.with_danger_skip_domain_validation(true)),
            SslMode::VerifyIdentity => Some(tls),
        };
        OptsBuilder::from_opts(self.opts.clone())
            .db_name(None::<String>)
            .prefer_socket(false)
            .ssl_opts(tls)
            .tcp_connect_timeout(Some(Duration::from_secs(10)))
            .read_timeout(Some(Duration::from_secs(60)))
            .write_timeout(Some(Duration::from_secs(60)))
            .into()
    }
}

/// The URL of the option, else that of DATABASE_URL.
pub(crate) fn given_or_environment(given: Option<&str>) -> Result<String, Error> {
    let environment = || {
        std::env::var("DATABASE_URL")
            .ok()
            .filter(|url| !url.is_empty())
    };
    given
        .map(str::to_owned)
        .or_else(environment)
        .ok_or_else(|| {
            Error::Usage(
                "no server is given\n  expected: --url mysql://user:password@host:port/database, or the same in DATABASE_URL"
                    .to_owned(),
            )
        })
}

/// The parser's complaint, without the URL's text except for parameter names.
fn describe(error: &mysql::UrlError) -> String {
    match error {
        mysql::UrlError::UnsupportedScheme(_) => "it does not start with mysql://".to_owned(),
        mysql::UrlError::UnknownParameter(name) => format!("unknown parameter `{name}`"),
        mysql::UrlError::InvalidValue(name, _) => format!("parameter `{name}` has a bad value"),
        mysql::UrlError::ParseError(error) => error.to_string(),
        _ => "it is not a URL".to_owned(),
    }
}

impl fmt::Display for ServerUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "mysql://{}@{}", self.user(), self.address())
    }
}

impl fmt::Debug for ServerUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reserved_characters_of_the_password_may_be_percent_encoded() {
        let url = ServerUrl::parse(
            "mysql://me:a%2Fb%40c%3A%3F@db.example.org:3307/ads?ssl-mode=REQUIRED",
        )
        .unwrap();
        assert_eq!(url.opts.get_pass(), Some("a/b@c:?"));
        assert_eq!(url.address(), "db.example.org:3307");
        assert_eq!(url.user(), "me");
        assert_eq!(url.database(), Some("ads"));
        assert_eq!(url.ssl_mode(), SslMode::Required);
    }

    #[test]
    fn neither_display_nor_debug_shows_the_password() {
        let url = ServerUrl::parse("mysql://me:s3cr3t@localhost/ads").unwrap();
        assert_eq!(format!("{url}"), "mysql://me@localhost:3306");
        assert!(!format!("{url:?}").contains("s3cr3t"));
    }

    #[test]
    fn errors_do_not_repeat_the_url() {
        for bad in [
            "postgres://me:s3cr3t@localhost/ads",
            "mysql://me:s3cr3t@localhost:port/ads",
            "s3cr3t",
            "mysql://me:s3cr3t@localhost/ads?no-such=1",
            "mysql://me:s3cr3t@localhost/ads?ssl-mode=maybe",
            "mysql://me:s3c/r3t@localhost/ads",
        ] {
            let error = ServerUrl::parse(bad).unwrap_err();
            let text = format!("{error} {error:?}");
            assert!(!text.contains("s3c"), "{text}");
        }
    }

    #[test]
    fn an_unknown_parameter_is_named() {
        let error = ServerUrl::parse("mysql://me@localhost/ads?no-such=1").unwrap_err();
        assert!(error.to_string().contains("no-such"), "{error}");
    }
}
