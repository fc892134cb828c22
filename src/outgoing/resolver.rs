//! From host names to addresses.

use std::io;
use std::net::{IpAddr, ToSocketAddrs};

use futures_util::future::BoxFuture;

/// Looks up host names.
pub trait Resolve: Send + Sync {
    /// Every address that the name has now.
    fn look_up<'a>(&'a self, host: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>>;
}

/// As this machine is configured to.
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
