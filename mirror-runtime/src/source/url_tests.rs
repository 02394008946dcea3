//! Tests of server URLs.

use super::*;
use crate::source::url_parts::distance;

fn url(text: &str) -> ServerUrl {
    text.parse().unwrap()
}

#[test]
fn all_parts_are_read_and_decoded() {
    let url = url(
        "mysql://mi%40ror:p%3Aw%2f%25@db.example:3307/my%20ads?ssl-mode=VERIFY_CA&ssl-ca=%2Fetc%2Fca.pem",
    );
    assert_eq!(url.user(), "mi@ror");
    assert_eq!(url.password, "p:w/%");
    assert_eq!((url.host(), url.port()), ("db.example", 3307));
    assert_eq!(url.database(), Some("my ads"));
    assert_eq!(url.ssl_mode(), SslMode::VerifyCa);
    assert_eq!(url.ssl_ca, Some(PathBuf::from("/etc/ca.pem")));
}

#[test]
fn parts_may_be_left_out() {
    let bare = url("mysql://");
    assert_eq!((bare.host(), bare.port()), ("127.0.0.1", 3306));
    assert_eq!((bare.user(), bare.database()), ("", None));
    assert_eq!(bare.ssl_mode(), SslMode::Preferred);
    assert_eq!(url("mysql://root@[::1]:3310/").address(), "[::1]:3310");
    assert_eq!(url("mysql://root@[::1]").port(), 3306);
    let socket = url("mysql://root@localhost?socket=%2Frun%2Fmysqld.sock");
    assert_eq!(socket.address(), "/run/mysqld.sock");
    assert_eq!(socket.socket(), Some("/run/mysqld.sock"));
}

#[test]
fn several_servers_share_all_other_parts() {
    let url = url("mysql://mirror:pw@db1,db2:3307,[::1]:3308/ads?ssl-mode=required");
    let servers = url.servers();
    let addresses: Vec<String> = servers.iter().map(ServerUrl::address).collect();
    assert_eq!(addresses, ["db1:3306", "db2:3307", "[::1]:3308"]);
    for server in &servers {
        assert_eq!(server.ssl_mode(), SslMode::Required);
        assert_eq!((server.user(), server.database()), ("mirror", Some("ads")));
        assert_eq!(server.servers(), std::slice::from_ref(server));
    }
    assert_eq!(
        url.to_string(),
        "mysql://mirror:***@db1:3306,db2:3307,[::1]:3308/ads"
    );
    for wrong in ["mysql://u@a,b:x/", "mysql://u@a,b/?socket=%2Fs"] {
        assert!(wrong.parse::<ServerUrl>().is_err(), "{wrong}");
    }
}

#[test]
fn a_password_may_hold_an_unencoded_at_sign() {
    let url = url("mysql://u:p@ss@h/db");
    assert_eq!((url.password.as_str(), url.host()), ("p@ss", "h"));
}

#[test]
fn the_password_is_never_printed() {
    let url = url("mysql://mirror:s3cret@db:3306/ads?socket=/s");
    for text in [url.to_string(), format!("{url:?}"), format!("{url:#?}")] {
        assert!(!text.contains("s3cret"), "{text}");
    }
    assert_eq!(url.to_string(), "mysql://mirror:***@db:3306/ads?socket=/s");
}

#[test]
fn errors_never_print_the_password() {
    for text in [
        "mysql:/u:s3cret@h/db",
        "mysql://u:s3cret@h:port/db",
        "mysql://u:s3cret%zz@h/db",
        "mysql://u:s3cret@[x]/db",
        "mysql://u:s3cret@h/db/x",
        "mysql://u:s3cret@h:1:2/db",
        "mysql://u:s3cret@h/db?ssl-mod=disabled",
        "mysql://u:s3cret@h/db?ssl-mode",
    ] {
        let error = text.parse::<ServerUrl>().unwrap_err();
        assert!(matches!(error, SourceError::Url { .. }));
        assert!(!error.to_string().contains("s3cret"), "{error}");
    }
}

#[test]
fn unknown_parameters_are_refused_with_a_near_match() {
    let error = |text: &str| text.parse::<ServerUrl>().unwrap_err().to_string();
    let text = error("mysql://h/?ssl_mode=disabled");
    assert!(text.contains("did you mean 'ssl-mode'?"), "{text}");
    let text = error("mysql://h/?ssl-mode=prefered");
    assert!(text.contains("did you mean 'preferred'?"), "{text}");
    let text = error("mysql://h/?compress=true");
    assert!(!text.contains("did you mean"), "{text}");
    assert!(
        text.contains("known: ssl-mode, ssl-ca, ssl-cert, ssl-key, socket"),
        "{text}"
    );
}

#[test]
fn edit_distance_counts_changes() {
    assert_eq!(distance("", "abc"), 3);
    assert_eq!(distance("abc", ""), 3);
    assert_eq!(distance("kitten", "sitting"), 3);
    assert_eq!(distance("same", "same"), 0);
}

#[test]
fn ports_out_of_range_are_refused() {
    for port in ["0", "65536", "-1", "+5", "x"] {
        assert!(
            format!("mysql://h:{port}/").parse::<ServerUrl>().is_err(),
            "{port}"
        );
    }
}

#[test]
fn a_password_may_stand_in_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("secret");
    std::fs::write(&file, "s3cret\nsecond line\n").unwrap();
    let url = url(&format!("mysql://u@h/?password-file={}", file.display()));
    assert_eq!(url.password, "s3cret");
    assert!(!format!("{url:?}").contains("s3cret"));
    let missing = format!("mysql://u@h/?password-file={}.not", file.display());
    let error = missing.parse::<ServerUrl>().unwrap_err().to_string();
    assert!(error.contains("secret.not cannot be read"), "{error}");
}

#[test]
fn a_client_certificate_comes_with_its_key() {
    let both = url("mysql://u@h/?ssl-cert=%2Fc.pem&ssl-key=%2Fk.pem");
    assert_eq!(both.ssl_cert, Some(PathBuf::from("/c.pem")));
    assert_eq!(both.ssl_key, Some(PathBuf::from("/k.pem")));
    assert!(
        "mysql://u@h/?ssl-cert=%2Fc.pem"
            .parse::<ServerUrl>()
            .is_err()
    );
}
