//! What the rivals in Rust share: how they are talked to, and the kernels without their tasks.

pub mod busy_loop;
pub mod queens;
pub mod turns;
pub mod uts;
