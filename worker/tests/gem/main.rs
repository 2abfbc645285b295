//! Drives the real worker over real sockets, as a router does. The stone is played by a thread that speaks its link;
//! the real one joins in where the whole product is tested.

mod binding;
mod calls;
mod endings;
mod opening;
mod support;
