//! Where the load goes: one server on this machine, and its process if known.

use std::net::{IpAddr, SocketAddr, ToSocketAddrs};

/// Why a URL is not accepted as a target.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum TargetError {
    #[error("{0:?} is not of the form http://127.0.0.1:PORT")]
    Form(String),
    #[error(
        "{0} is not a loopback address of this machine: load tests of other machines are refused"
    )]
    NotLoopback(IpAddr),
    #[error("{0:?} has no address")]
    Unknown(String),
}

/// The address and process of one server. A copy owns nothing: `server` starts and stops processes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Target {
    pub addr: SocketAddr,
    /// Without a pid, CPU and memory stay unknown.
    pub pid: Option<u32>,
}

/// Returns the node for a place. Places at regular intervals, such as those of one group's senders,
/// are spread over all nodes too.
pub fn node_of(nodes: &[SocketAddr], place: usize) -> SocketAddr {
    let mixed = (place as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 33;
    nodes[mixed as usize % nodes.len()]
}

/// Parses `http://HOST:PORT`, and refuses any address that is not loopback.
pub fn parse_url(url: &str) -> Result<SocketAddr, TargetError> {
    let form = || TargetError::Form(url.to_owned());
    let authority = url.strip_prefix("http://").ok_or_else(form)?.trim_end_matches('/');
    if authority.contains(['/', '?', '#', '@']) || !authority.contains(':') {
        return Err(form());
    }
    let mut found =
        authority.to_socket_addrs().map_err(|_| TargetError::Unknown(authority.to_owned()))?;
    let addr = found.next().ok_or_else(|| TargetError::Unknown(authority.to_owned()))?;
    match addr.ip() {
        ip if ip.is_loopback() => Ok(addr),
        ip => Err(TargetError::NotLoopback(ip)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loopback_is_taken() {
        for url in [
            "http://127.0.0.1:8080",
            "http://127.0.0.1:8080/",
            "http://127.9.9.9:8080",
            "http://[::1]:8080",
        ] {
            assert_eq!(parse_url(url).map(|addr| addr.port()), Ok(8080), "{url}");
        }
    }

    #[test]
    fn every_hundredth_place_is_dealt_to_all_nodes_too() {
        let nodes: Vec<SocketAddr> =
            (1..=3).map(|port| SocketAddr::from(([127, 0, 0, 1], port))).collect();
        for step in [1, 2, 100] {
            let mut dealt: Vec<u16> =
                (0..60).map(|place| node_of(&nodes, place * step).port()).collect();
            dealt.sort_unstable();
            dealt.dedup();
            assert_eq!(dealt, [1, 2, 3], "every {step}th");
        }
    }

    #[test]
    fn other_machines_are_refused() {
        for url in ["http://192.0.2.7:80", "http://0.0.0.0:80", "http://[2001:db8::1]:80"] {
            assert!(matches!(parse_url(url), Err(TargetError::NotLoopback(_))), "{url}");
        }
    }

    #[test]
    fn other_forms_are_refused() {
        for url in [
            "127.0.0.1:80",
            "https://127.0.0.1:80",
            "http://127.0.0.1",
            "http://a@127.0.0.1:80",
            "http://127.0.0.1:80/v3",
        ] {
            assert!(matches!(parse_url(url), Err(TargetError::Form(_))), "{url}");
        }
    }
}
