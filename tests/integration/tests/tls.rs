//! Each TLS mode and each way to log in, on real servers, with what has to be refused.

use std::path::{Path, PathBuf};

use integration::{World, on_both_servers};
use lab::{Flavor, ServerOptions};
use mirror_runtime::source::connect;
use mirror_runtime::{ServerUrl, SourceError};
use mysql::prelude::Queryable;
use rcgen::{BasicConstraints, CertificateParams, DnType, IsCa, Issuer, KeyPair};
use tempfile::TempDir;
use test_mirror::Mirror;

on_both_servers!(
    each_mode_gives_the_connection_that_it_promises,
    wrong_certificates_are_refused,
    a_client_certificate_is_shown_where_the_server_asks_for_it,
    each_plugin_lets_in_who_knows_the_password,
    plugins_that_are_not_known_are_refused_by_their_name,
    a_mirror_follows_over_tls,
);

/// Certificates of a test: an authority, another one, and what they signed.
struct Certificates {
    folder: TempDir,
}

impl Certificates {
    /// The server's names `host`.
    fn new(host: &str) -> Self {
        let certificates = Self {
            folder: tempfile::tempdir().unwrap(),
        };
        let authority = certificates.authority("ca");
        certificates.authority("other");
        certificates.sign(&authority, "server", host);
        certificates.sign(&authority, "client", "mirror");
        certificates
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).unwrap();
    }

    fn authority(&self, name: &str) -> Issuer<'static, KeyPair> {
        let mut parameters = CertificateParams::new(Vec::<String>::new()).unwrap();
        parameters.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        parameters
            .distinguished_name
            .push(DnType::CommonName, format!("{name} of a test"));
        let key = KeyPair::generate().unwrap();
        let certificate = parameters.self_signed(&key).unwrap();
        self.write(&format!("{name}.pem"), &certificate.pem());
        Issuer::new(parameters, key)
    }

    fn sign(&self, authority: &Issuer<'_, KeyPair>, name: &str, host: &str) {
        let mut parameters = CertificateParams::new(vec![host.to_owned()]).unwrap();
        parameters
            .distinguished_name
            .push(DnType::CommonName, host.to_owned());
        let key = KeyPair::generate().unwrap();
        let certificate = parameters.signed_by(&key, authority).unwrap();
        self.write(&format!("{name}.pem"), &certificate.pem());
        self.write(&format!("{name}-key.pem"), &key.serialize_pem());
    }

    fn server_options(&self) -> ServerOptions {
        let argument = |name: &str, file: &str| format!("--{name}={}", self.path(file).display());
        ServerOptions::new()
            .arg(argument("ssl-ca", "ca.pem"))
            .arg(argument("ssl-cert", "server.pem"))
            .arg(argument("ssl-key", "server-key.pem"))
    }
}

fn encoded(path: &Path) -> String {
    path.display().to_string().replace('/', "%2F")
}

fn url(world: &World, account: &str, parameters: &str) -> ServerUrl {
    let port = world.server.port();
    let text = format!("mysql://{account}@localhost:{port}/?{parameters}");
    text.parse().unwrap()
}

/// Logs in; the cipher, empty without TLS.
fn cipher(url: &ServerUrl) -> Result<String, SourceError> {
    let mut conn = connect(url)?;
    let row: Option<(String, String)> = conn.query_first("SHOW STATUS LIKE 'Ssl_cipher'").unwrap();
    Ok(row.map(|(_, cipher)| cipher).unwrap_or_default())
}

fn account(world: &World, name: &str, how: &str) {
    world.run(&format!("CREATE USER {name}@'%' {how}"));
}

fn each_mode_gives_the_connection_that_it_promises(flavor: Flavor) {
    let certificates = Certificates::new("localhost");
    let world = World::start_with(flavor, &certificates.server_options());
    account(&world, "tester", "IDENTIFIED BY 'a pass'");
    let ca = encoded(&certificates.path("ca.pem"));
    for (mode, encrypts) in [
        ("disabled", false),
        ("preferred", true),
        ("required", true),
        ("verify-ca", true),
        ("verify-identity", true),
    ] {
        let parameters = format!("ssl-mode={mode}&ssl-ca={ca}");
        let cipher = cipher(&url(&world, "tester:a%20pass", &parameters))
            .unwrap_or_else(|error| panic!("{flavor} {mode}: {error}"));
        assert_eq!(!cipher.is_empty(), encrypts, "{flavor} {mode}: {cipher:?}");
    }
    // Who must not be in the clear is refused by the server itself.
    account(&world, "secure", "IDENTIFIED BY 'p' REQUIRE SSL");
    let refused = cipher(&url(&world, "secure:p", "ssl-mode=disabled"));
    assert!(
        matches!(refused, Err(SourceError::AccessDenied { .. })),
        "{flavor}: {refused:?}"
    );
    assert!(cipher(&url(&world, "secure:p", "")).is_ok());
    // A server without TLS, and who insists on it.
    let plain = match flavor {
        Flavor::Mysql => ServerOptions::new().arg("--tls-version="),
        Flavor::Mariadb => ServerOptions::new().arg("--skip-ssl"),
    };
    let world = World::start_with(flavor, &plain);
    assert_eq!(cipher(&url(&world, "root", "")).as_deref(), Ok(""));
    for mode in ["required", "verify-ca", "verify-identity"] {
        let refused = cipher(&url(&world, "root", &format!("ssl-mode={mode}")));
        assert!(
            matches!(refused, Err(SourceError::Tls { .. })),
            "{flavor} {mode}: {refused:?}"
        );
    }
}

fn wrong_certificates_are_refused(flavor: Flavor) {
    let certificates = Certificates::new("db.example");
    let world = World::start_with(flavor, &certificates.server_options());
    let (ca, other) = (
        encoded(&certificates.path("ca.pem")),
        encoded(&certificates.path("other.pem")),
    );
    // Another host's name matters to verify-identity alone.
    for (parameters, is_let_in) in [
        (format!("ssl-mode=verify-ca&ssl-ca={ca}"), true),
        (format!("ssl-mode=verify-identity&ssl-ca={ca}"), false),
        (format!("ssl-mode=verify-ca&ssl-ca={other}"), false),
        (format!("ssl-mode=verify-identity&ssl-ca={other}"), false),
        // The authorities of the world do not know it.
        ("ssl-mode=verify-ca".to_owned(), false),
        ("ssl-mode=required".to_owned(), true),
    ] {
        let found = cipher(&url(&world, "root", &parameters));
        match (&found, is_let_in) {
            (Ok(cipher), true) => assert!(!cipher.is_empty(), "{flavor} {parameters}"),
            (Err(SourceError::Tls { .. }), false) => {}
            _ => panic!("{flavor} {parameters}: {found:?}"),
        }
    }
    let missing = cipher(&url(
        &world,
        "root",
        "ssl-mode=verify-ca&ssl-ca=%2Fnot%2Fthere.pem",
    ));
    let error = missing.unwrap_err();
    assert!(
        matches!(error, SourceError::Url { .. }) && error.to_string().contains("/not/there.pem"),
        "{flavor}: {error:?}"
    );
}

fn a_client_certificate_is_shown_where_the_server_asks_for_it(flavor: Flavor) {
    let certificates = Certificates::new("localhost");
    let world = World::start_with(flavor, &certificates.server_options());
    account(&world, "known", "IDENTIFIED BY 'p' REQUIRE X509");
    let refused = cipher(&url(&world, "known:p", "ssl-mode=required"));
    assert!(
        matches!(refused, Err(SourceError::AccessDenied { .. })),
        "{flavor}: {refused:?}"
    );
    let (certificate, key) = (
        encoded(&certificates.path("client.pem")),
        encoded(&certificates.path("client-key.pem")),
    );
    let parameters = format!("ssl-mode=required&ssl-cert={certificate}&ssl-key={key}");
    let let_in = cipher(&url(&world, "known:p", &parameters));
    assert!(let_in.is_ok_and(|cipher| !cipher.is_empty()), "{flavor}");
}

fn each_plugin_lets_in_who_knows_the_password(flavor: Flavor) {
    let certificates = Certificates::new("localhost");
    let world = World::start_with(flavor, &certificates.server_options());
    let plugins: &[(&str, &str)] = match flavor {
        Flavor::Mysql => &[
            (
                "caching_sha2_password",
                "IDENTIFIED WITH caching_sha2_password BY 'a pass'",
            ),
            (
                "mysql_native_password",
                "IDENTIFIED WITH mysql_native_password BY 'a pass'",
            ),
        ],
        Flavor::Mariadb => &[
            (
                "mysql_native_password",
                "IDENTIFIED VIA mysql_native_password USING PASSWORD('a pass')",
            ),
            ("ed25519", "IDENTIFIED VIA ed25519 USING PASSWORD('a pass')"),
            ("parsec", "IDENTIFIED VIA parsec USING PASSWORD('a pass')"),
        ],
    };
    if flavor == Flavor::Mariadb {
        // A server may come without the library.
        for library in ["auth_ed25519", "auth_parsec"] {
            let install = format!("INSTALL SONAME '{library}'");
            world.conn().query_drop(install).ok();
        }
    }
    let mut tried = 0;
    for (number, (plugin, how)) in plugins.iter().enumerate() {
        let name = format!("user{number}");
        let made = world
            .conn()
            .query_drop(format!("CREATE USER {name}@'%' {how}"));
        if let Err(error) = made {
            println!("{flavor}: {plugin} is not to be had: {error}");
            continue;
        }
        tried += 1;
        for mode in ["disabled", "required", "disabled"] {
            let parameters = format!("ssl-mode={mode}");
            let good = cipher(&url(&world, &format!("{name}:a%20pass"), &parameters));
            assert!(good.is_ok(), "{flavor} {plugin} {mode}: {good:?}");
            // Without any password the driver panics in parsec: caught, but not told as it should.
            let wrongs: &[&str] = match *plugin {
                "parsec" => &["other"],
                _ => &["other", ""],
            };
            for wrong in wrongs {
                let refused = cipher(&url(&world, &format!("{name}:{wrong}"), &parameters));
                let error = refused.expect_err(plugin);
                assert!(
                    matches!(error, SourceError::AccessDenied { .. }),
                    "{flavor} {plugin} {mode}: {error:?}"
                );
                assert!(!error.to_string().contains("a pass"), "{error}");
            }
        }
    }
    assert!(tried > 0, "{flavor}: no plugin was tried");
    if flavor == Flavor::Mysql {
        // What the driver does not know is named.
        account(&world, "old", "IDENTIFIED WITH sha256_password BY 'a pass'");
        let refused = cipher(&url(&world, "old:a%20pass", "")).unwrap_err();
        let text = refused.to_string();
        assert!(
            text.contains("sha256_password") && !text.contains("a pass"),
            "{text}"
        );
    }
}

/// A server may come without a plugin, or not know it: then there is nothing to be refused.
fn plugins_that_are_not_known_are_refused_by_their_name(flavor: Flavor) {
    let world = World::start(flavor);
    let plugins: &[(&str, &str, &str)] = match flavor {
        Flavor::Mysql => &[
            (
                "INSTALL PLUGIN auth_socket SONAME 'auth_socket.so'",
                "IDENTIFIED WITH auth_socket AS 'nobody'",
                "Access denied",
            ),
            (
                "DO 1",
                "IDENTIFIED WITH sha256_password BY 'a pass'",
                "sha256_password",
            ),
        ],
        Flavor::Mariadb => &[
            ("DO 1", "IDENTIFIED VIA unix_socket", "Access denied"),
            (
                "INSTALL SONAME 'auth_gssapi'",
                "IDENTIFIED VIA gssapi USING 'someone@EXAMPLE.COM'",
                "gssapi",
            ),
            (
                "INSTALL SONAME 'auth_pam'",
                "IDENTIFIED VIA pam USING 'mysql'",
                "dialog",
            ),
        ],
    };
    let mut tried = 0;
    for (number, (install, how, name)) in plugins.iter().enumerate() {
        let user = format!("stranger{number}");
        let mut conn = world.conn();
        let made = conn
            .query_drop(install)
            .and_then(|()| conn.query_drop(format!("CREATE USER {user}@'%' {how}")));
        if let Err(error) = made {
            println!("{flavor}: {how} is not to be had: {error}");
            continue;
        }
        tried += 1;
        let error = cipher(&url(&world, &format!("{user}:a%20pass"), "")).unwrap_err();
        println!("{flavor}: {error}");
        let text = error.to_string();
        assert!(
            matches!(error, SourceError::AccessDenied { .. }) && text.contains(name),
            "{how}: {error:?}"
        );
        assert!(text.contains(&user) && !text.contains("a pass"), "{text}");
    }
    assert!(tried > 0, "{flavor}: nothing was tried");
}

fn a_mirror_follows_over_tls(flavor: Flavor) {
    let certificates = Certificates::new("localhost");
    let world = World::start_with(flavor, &certificates.server_options());
    let secret = certificates.path("password");
    std::fs::write(&secret, "from a file\n").unwrap();
    account(&world, "mirror", "IDENTIFIED BY 'from a file' REQUIRE SSL");
    world.run("GRANT SELECT, REPLICATION SLAVE, REPLICATION CLIENT ON *.* TO mirror@'%'");
    let (ca, secret) = (encoded(&certificates.path("ca.pem")), encoded(&secret));
    let parameters = format!("ssl-mode=verify-identity&ssl-ca={ca}&password-file={secret}");
    let mut options = world.options();
    options.url = url(&world, "mirror", &parameters);
    let mirror: Mirror = world.mirror_with(options);
    world.run("INSERT INTO fire_a VALUES (7, 7, 'over TLS')");
    world.catch_up(&mirror);
    assert!(mirror.snapshot().fire_a().get(7).is_some());
}
