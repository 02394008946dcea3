//! Code generator of mysql-mirror: `schema.json` and the text of SHOW CREATE TABLE in, the
//! source files of a typed crate out. Pure: no server, no clock, no environment.

pub mod ddl;
pub mod error;
pub mod format;
pub mod model;
mod near;
pub mod render;
pub mod tokens;
