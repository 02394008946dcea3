//! Placeholder until the first `cargo xtask regenerate`.
