//! How each server of the log is set: who it is, and whether it accepts clients without a login.

use std::net::IpAddr;
use std::time::Duration;

use async_nats::{Client, ConnectOptions, ServerAddr, ServerInfo};
use futures_util::future::join_all;

use crate::replicated::nats_servers::{NatsServers, place};

/// How long a server may take to accept a client.
const WITHIN: Duration = Duration::from_secs(3);

/// The result of asking one server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerReport {
    /// The server's host and port, as the options name them.
    pub place: String,
    /// The host in the server's address.
    pub host: String,
    /// The port in the server's address.
    pub port: u16,
    /// The server's own id; `None` if it did not answer.
    pub id: Option<String>,
    /// Whether it accepts clients of other machines without a login.
    pub is_open: bool,
}

/// Asks each server that the options name. A server that does not answer counts as closed. Blocks.
///
/// # Errors
/// If the operating system gives no event loop.
pub fn survey(servers: &NatsServers, client: &str) -> std::io::Result<Vec<ServerReport>> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let asked = servers.addresses().iter().map(|address| report(servers, address, client));
    let reports = runtime.block_on(join_all(asked));
    runtime.shutdown_background();
    Ok(reports)
}

async fn report(servers: &NatsServers, address: &ServerAddr, client: &str) -> ServerReport {
    let named = connect(servers.connecting(client), address);
    let stranger = connect(servers.without_login(client), address);
    let (named, stranger) = tokio::join!(named, stranger);
    let id = named.map(|it| it.server_info().server_id);
    ServerReport {
        place: place(address),
        host: address.host().to_owned(),
        port: address.port(),
        id,
        is_open: stranger.is_some_and(|it| !listens_on_loopback(&it.server_info())),
    }
}

/// Connects to this server alone; `None` if it refuses or does not answer.
async fn connect(options: ConnectOptions, address: &ServerAddr) -> Option<Client> {
    let connecting = options.ignore_discovered_servers().connect(address.clone());
    tokio::time::timeout(WITHIN, connecting).await.ok()?.ok()
}

/// Whether a server listens only for programs of its own machine.
fn listens_on_loopback(info: &ServerInfo) -> bool {
    let host = info.host.trim_matches(['[', ']']);
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|it| it.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_loopback_addresses_are_out_of_reach_for_others() {
        let listens = |host: &str| {
            listens_on_loopback(&ServerInfo { host: host.to_owned(), ..ServerInfo::default() })
        };
        for host in ["127.0.0.1", "127.8.0.1", "::1", "[::1]", "localhost"] {
            assert!(listens(host), "{host}");
        }
        for host in ["0.0.0.0", "10.0.0.1", "::", "2001:db8::1", "log.example.org", ""] {
            assert!(!listens(host), "{host}");
        }
    }
}
