//! temporary
use lab::*;
use std::time::Instant;
fn main() {
    for f in Flavor::ALL {
        let t = Instant::now();
        let p = install(f, &Reporter::stderr()).unwrap();
        println!("{f} install {} {:?}", p.version(), t.elapsed());
        for i in 0..3 {
            let t = Instant::now();
            let mut s =
                Server::start(f, &ServerOptions::new().reporter(Reporter::stderr())).unwrap();
            let e = t.elapsed();
            let rss =
                std::fs::read_to_string(format!("/proc/{}/status", s.pid().unwrap())).unwrap();
            let rss = rss
                .lines()
                .find(|l| l.starts_with("VmRSS"))
                .unwrap()
                .to_owned();
            let t = Instant::now();
            s.kill9().unwrap();
            s.restart().unwrap();
            let r = t.elapsed();
            let t = Instant::now();
            s.stop().unwrap();
            println!(
                "{f} start {i} {e:?} {rss} kill+restart {r:?} stop {:?}",
                t.elapsed()
            );
            let d = std::process::Command::new("du")
                .arg("-sh")
                .arg(s.dir())
                .output()
                .unwrap();
            println!("{}", String::from_utf8_lossy(&d.stdout));
        }
    }
}
