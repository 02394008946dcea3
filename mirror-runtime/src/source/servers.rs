//! The servers that one URL names, in its order, and the one that is used now.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::url::ServerUrl;

/// The servers of a URL. The first is used until it fails; then the next, and the first again
/// behind the last.
#[derive(Debug)]
pub(crate) struct Servers {
    urls: Vec<ServerUrl>,
    current: AtomicUsize,
    /// Servers that failed one after the other.
    failed: AtomicUsize,
}

impl Servers {
    pub(crate) fn new(url: &ServerUrl) -> Self {
        Self {
            urls: url.servers(),
            current: AtomicUsize::new(0),
            failed: AtomicUsize::new(0),
        }
    }

    /// The server that is used now.
    pub(crate) fn current(&self) -> &ServerUrl {
        let at = self.current.load(Ordering::Relaxed);
        self.urls.get(at).unwrap_or(&self.urls[0])
    }

    pub(crate) fn len(&self) -> usize {
        self.urls.len()
    }

    /// The server that is used now did not serve: goes on to the next. Whether that did not fail
    /// since one served last.
    pub(crate) fn failed(&self) -> bool {
        let next = (self.current.load(Ordering::Relaxed) + 1) % self.urls.len();
        self.current.store(next, Ordering::Relaxed);
        let failed = self.failed.fetch_add(1, Ordering::Relaxed) + 1;
        !failed.is_multiple_of(self.urls.len())
    }

    /// The server that is used now serves.
    pub(crate) fn served(&self) {
        self.failed.store(0, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_are_tried_in_order_and_each_once_before_a_wait() {
        let url: ServerUrl = "mysql://u@a,b:3307,[::1]:3308/".parse().unwrap();
        let servers = Servers::new(&url);
        assert_eq!(servers.len(), 3);
        assert_eq!(servers.current().address(), "a:3306");
        assert!(servers.failed());
        assert_eq!(servers.current().address(), "b:3307");
        assert!(servers.failed());
        assert_eq!(servers.current().address(), "[::1]:3308");
        assert!(!servers.failed());
        assert_eq!(servers.current().address(), "a:3306");
        assert!(servers.failed());
        servers.served();
        // The one that served and then fails is the first of three again.
        assert!(servers.failed());
        assert!(servers.failed());
        assert!(!servers.failed());
    }

    #[test]
    fn one_server_is_tried_again_after_a_wait_only() {
        let servers = Servers::new(&"mysql://a".parse().unwrap());
        assert!(!servers.failed());
        assert_eq!(servers.current().address(), "a:3306");
    }
}
