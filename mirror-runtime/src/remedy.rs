//! What to do when loading again does not help.

use crate::policy::Cause;
use crate::reload::Reload;

/// What to do about what the loads are made for, again and again.
pub(crate) fn remedy(reload: &Reload) -> &'static str {
    match reload.cause {
        Cause::Divergence => {
            "find out who writes without the binlog (sql_log_bin=0) and start again"
        }
        Cause::Statement => {
            "set binlog_format = ROW, also in the session that runs this, and start again"
        }
        Cause::Definition => {
            "set binlog_row_metadata = FULL, or start again when the table is not altered any more"
        }
        Cause::Incomplete => {
            "set binlog_row_image = FULL, also in the sessions that write; where it is a foreign \
             key's doing, start again while less of its parent table changes"
        }
        Cause::Incident => "look into the server's error log, and start again",
        Cause::Gap => {
            "keep binlogs longer (binlog_expire_logs_seconds), leave gtid_mode as it is, and \
             start again"
        }
        Cause::TooLarge => "write smaller transactions, or raise Limits::transaction_bytes",
        Cause::Requested => "ask for loads less often",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_rows_that_do_not_fit_are_blamed_on_writes_without_the_binlog() {
        for (cause, word) in [
            (Cause::Divergence, "sql_log_bin"),
            (Cause::Statement, "binlog_format = ROW"),
            (Cause::Definition, "binlog_row_metadata = FULL"),
            (Cause::Incomplete, "foreign key"),
            (Cause::Incident, "error log"),
            (Cause::Gap, "binlog_expire_logs_seconds"),
            (Cause::TooLarge, "smaller transactions"),
            (Cause::Requested, "less often"),
        ] {
            let text = remedy(&Reload::new(cause, vec![0], "a reason".into()));
            assert!(text.contains(word), "{cause}: {text}");
            let blamed = text.contains("sql_log_bin");
            assert_eq!(blamed, cause == Cause::Divergence, "{cause}: {text}");
        }
    }
}
