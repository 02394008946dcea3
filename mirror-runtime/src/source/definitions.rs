//! The definitions of views, triggers and routines that a server has, as far as the account may
//! see them.

use std::collections::HashSet;

use mysql::Conn;
use mysql::prelude::{FromRow, Queryable};

use super::error::{Context, SourceError, from_mysql};
use super::preflight::sees_definitions;
use super::server_info::ServerInfo;
use crate::statement::Kind;

/// Databases of the servers' own, whose objects do not write to tables of others.
const OWN_DATABASES: &str = "('information_schema', 'mysql', 'performance_schema', 'sys')";

/// An object and what it may write to.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Definition {
    pub(crate) kind: Kind,
    /// The database of the object, which names in its definition without one are of too.
    pub(crate) database: String,
    /// The object; the table of a trigger or of a parent's key.
    pub(crate) name: String,
    /// Its text, in UTF-8 where the server could convert it.
    pub(crate) text: Vec<u8>,
    /// Whether the text is SQL, not another language.
    pub(crate) is_sql: bool,
}

/// The definitions of a server.
#[derive(Debug, Clone, Default)]
pub(crate) struct Definitions {
    all: HashSet<Definition>,
    are_visible: bool,
}

impl Definitions {
    /// Asks the server.
    ///
    /// # Errors
    /// When it cannot be asked; what the account may not see is no error.
    pub(crate) fn read(conn: &mut Conn, info: &ServerInfo) -> Result<Self, SourceError> {
        let mut read = Self {
            all: HashSet::new(),
            are_visible: sees_definitions(conn)?,
        };
        read.views(conn)?;
        read.triggers(conn)?;
        read.routines(conn)?;
        if info.mysql_at_least(8, 0, 0) {
            read.foreign_keys(conn)?;
        }
        Ok(read)
    }

    /// What was read at another time too.
    pub(crate) fn and(mut self, other: Self) -> Self {
        self.all.extend(other.all);
        self.are_visible &= other.are_visible;
        self
    }

    /// All that were seen.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Definition> {
        self.all.iter()
    }

    /// Whether the account sees all that there are.
    pub(crate) fn are_visible(&self) -> bool {
        self.are_visible
    }

    fn views(&mut self, conn: &mut Conn) -> Result<(), SourceError> {
        let sql = format!(
            "SELECT TABLE_SCHEMA, TABLE_NAME, VIEW_DEFINITION FROM information_schema.VIEWS \
             WHERE TABLE_SCHEMA NOT IN {OWN_DATABASES}"
        );
        type Found = (String, String, Option<Vec<u8>>);
        for (database, name, text) in self.ask::<Found>(conn, &sql, "reading the views")? {
            self.add(Kind::View, database, name, text, true);
        }
        Ok(())
    }

    fn triggers(&mut self, conn: &mut Conn) -> Result<(), SourceError> {
        let sql = format!(
            "SELECT EVENT_OBJECT_SCHEMA, EVENT_OBJECT_TABLE, ACTION_STATEMENT \
             FROM information_schema.TRIGGERS WHERE TRIGGER_SCHEMA NOT IN {OWN_DATABASES}"
        );
        type Found = (String, String, Option<Vec<u8>>);
        for (database, name, text) in self.ask::<Found>(conn, &sql, "reading the triggers")? {
            self.add(Kind::TriggerTable, database, name, text, true);
        }
        Ok(())
    }

    fn routines(&mut self, conn: &mut Conn) -> Result<(), SourceError> {
        let sql = format!(
            "SELECT ROUTINE_SCHEMA, ROUTINE_NAME, ROUTINE_TYPE, ROUTINE_BODY, ROUTINE_DEFINITION \
             FROM information_schema.ROUTINES WHERE ROUTINE_SCHEMA NOT IN {OWN_DATABASES}"
        );
        type Found = (String, String, String, String, Option<Vec<u8>>);
        let action = "reading the stored functions";
        for (database, name, kind, body, text) in self.ask::<Found>(conn, &sql, action)? {
            let kind = match &*kind.to_ascii_uppercase() {
                "PROCEDURE" => Kind::Procedure,
                "FUNCTION" => Kind::Function,
                _ => Kind::Package,
            };
            let is_sql = body.eq_ignore_ascii_case("SQL");
            self.add(kind, database, name, text, is_sql);
        }
        Ok(())
    }

    /// Of MySQL 8 and later, where asking is cheap. On others a mirror knows the parents of its
    /// tables, or was told to ignore them.
    fn foreign_keys(&mut self, conn: &mut Conn) -> Result<(), SourceError> {
        let sql = "SELECT UNIQUE_CONSTRAINT_SCHEMA, REFERENCED_TABLE_NAME, CONSTRAINT_SCHEMA, \
                   TABLE_NAME FROM information_schema.REFERENTIAL_CONSTRAINTS \
                   WHERE DELETE_RULE NOT IN ('RESTRICT', 'NO ACTION') \
                   OR UPDATE_RULE NOT IN ('RESTRICT', 'NO ACTION')";
        type Found = (String, String, String, String);
        let action = "reading the foreign keys";
        for (database, parent, child_database, child) in self.ask::<Found>(conn, sql, action)? {
            let quoted = crate::row::quote_identifier;
            let text = format!("{}.{}", quoted(&child_database), quoted(&child));
            self.add(
                Kind::Parent,
                database,
                parent,
                Some(text.into_bytes()),
                true,
            );
        }
        Ok(())
    }

    /// A definition that is hidden is none, or empty.
    fn add(
        &mut self,
        kind: Kind,
        database: String,
        name: String,
        text: Option<Vec<u8>>,
        is_sql: bool,
    ) {
        let Some(text) = text.filter(|text| !text.is_empty()) else {
            self.are_visible = false;
            return;
        };
        self.all.insert(Definition {
            kind,
            database,
            name,
            text,
            is_sql,
        });
    }

    /// Rows of an answer; none where the server refuses one, as it does with a broken routine.
    fn ask<T: FromRow>(
        &mut self,
        conn: &mut Conn,
        sql: &str,
        action: &str,
    ) -> Result<Vec<T>, SourceError> {
        let rows: Vec<mysql::Row> = match conn.query(sql) {
            Ok(rows) => rows,
            Err(error) => {
                let was_asked = matches!(error, mysql::Error::MySqlError(_));
                let error = from_mysql(error, &Context::query(action));
                if !was_asked || error.is_transient() {
                    return Err(error);
                }
                tracing::warn!(%error, "{action} is refused");
                self.are_visible = false;
                return Ok(Vec::new());
            }
        };
        let (mut found, all) = (Vec::new(), rows.len());
        found.extend(
            rows.into_iter()
                .filter_map(|row| mysql::from_row_opt(row).ok()),
        );
        self.are_visible &= found.len() == all;
        Ok(found)
    }
}
