//! Reference servers: the least that any server must do, measured in the same run.
//!
//! They are hidden subcommands of this program and run as processes of their
//! own, so that their CPU is read the same way as the server's. They end when
//! their stdin closes, so none outlives a tester that was killed.

pub mod broadcast;
pub mod http;

use std::io::Read;
use std::net::SocketAddr;

/// The subcommand of the trivial HTTP server.
pub const HTTP: &str = "reference-http";
/// The subcommand of the raw broadcaster.
pub const BROADCAST: &str = "reference-broadcast";

/// Prints a first line like Coterie's, so that the same code starts both.
fn announce(addr: SocketAddr) {
    println!("reference listening on http://{addr}");
}

fn end_with_stdin() {
    std::thread::spawn(|| {
        let mut ignored = Vec::new();
        // An error on stdin means the same as its end: the tester is gone.
        drop(std::io::stdin().read_to_end(&mut ignored));
        std::process::exit(0);
    });
}
