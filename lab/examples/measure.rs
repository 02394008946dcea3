//! temporary
use lab::*;
use std::time::Instant;
fn main() {
    for f in Flavor::ALL {
        let t = Instant::now();
        let p = install(f, &Reporter::stderr()).unwrap();
        println!("{f} install {} {:?}", p.version(), t.elapsed());
        for args in [
            vec![],
            vec!["--performance-schema=OFF"],
            vec!["--innodb-doublewrite=OFF"],
            vec!["--skip-log-bin"],
        ] {
            let t = Instant::now();
            let s = Server::start(
                f,
                &ServerOptions::new()
                    .args(args.clone())
                    .reporter(Reporter::stderr()),
            )
            .unwrap();
            let e = t.elapsed();
            let rss =
                std::fs::read_to_string(format!("/proc/{}/status", s.pid().unwrap())).unwrap();
            let rss = rss
                .lines()
                .find(|l| l.starts_with("RssAnon"))
                .unwrap()
                .to_owned();
            let st = std::fs::read_to_string(format!("/proc/{}/stat", s.pid().unwrap())).unwrap();
            let w: Vec<&str> = st.rsplit(')').next().unwrap().split_whitespace().collect();
            println!(
                "{f} {args:?} start {e:?} {rss} cpu {}+{} ticks(10ms)",
                w[11], w[12]
            );
            if args.is_empty() && f == Flavor::Mysql {
                use mysql::prelude::Queryable;
                let mut c = s.conn().unwrap();
                let r: Vec<(String, u64)> = c.query("select event_name, current_number_of_bytes_used from performance_schema.memory_summary_global_by_event_name order by 2 desc limit 12").unwrap();
                for x in r {
                    println!("{x:?}");
                }
                println!("{}", s.log_tail(100));
            }
        }
    }
}
