//! Looks up host names.

use std::io;
use std::net::{IpAddr, ToSocketAddrs};

use futures_util::future::BoxFuture;

/// Turns host names into addresses.
pub trait Resolve: Send + Sync {
    /// Returns every address that the host has now.
    fn look_up<'a>(&'a self, host: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>>;
}

/// The operating system's resolver, as this machine is configured.
#[derive(Debug, Clone, Copy)]
pub struct SystemResolver;

impl Resolve for SystemResolver {
    fn look_up<'a>(&'a self, host: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
        let host = host.to_owned();
        Box::pin(async move {
            let looked_up = tokio::task::spawn_blocking(move || {
                let found = (host.as_str(), 0).to_socket_addrs()?;
                Ok(found.map(|place| place.ip()).collect())
            });
            looked_up.await.map_err(io::Error::other)?
        })
    }
}
