//! Finds the address from which a request comes when proxies stand in between: what a proxy that
//! the operator trusts says about the sender of a request is believed. Everything that is counted
//! per address is counted by this one.

use std::net::{IpAddr, SocketAddr};

use actix_web::http::header::{FORWARDED, HeaderMap, HeaderName};
use actix_web::{HttpRequest, web};

use domain::client_network::ClientNetwork;
use outgoing::network::Network;

const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// The networks of proxies that are trusted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrustedProxies(pub Vec<Network>);

impl TrustedProxies {
    /// Whether a trusted proxy has this address.
    pub fn trusts(&self, address: IpAddr) -> bool {
        self.0.iter().any(|network| network.contains(address))
    }

    /// The client's address: the last one in the chain of proxies that is not a trusted proxy's.
    /// Whatever stands before it was written by a stranger.
    ///
    /// `X-Forwarded-For` is believed before `Forwarded` (RFC 7239), which is read if the former is
    /// missing: most proxies write the former and let the latter through.
    fn client(&self, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
        let peer = peer.to_canonical();
        if !self.trusts(peer) {
            return peer;
        }
        let is_old_form = headers.contains_key(FORWARDED_FOR);
        let name = if is_old_form { FORWARDED_FOR } else { FORWARDED };
        let lines: Vec<&str> = headers.get_all(name).filter_map(|it| it.to_str().ok()).collect();
        let mut client = peer;
        for hop in lines.iter().rev().flat_map(|line| line.rsplit(',')) {
            let address = if is_old_form { address(hop) } else { forwarded_for(hop) };
            // An element that is no address ends the chain, since what stands before it may be
            // invented too.
            let Some(address) = address else { return client };
            client = address;
            if !self.trusts(client) {
                return client;
            }
        }
        client
    }
}

/// Parses an address as proxies write it, with or without a port.
fn address(text: &str) -> Option<IpAddr> {
    let text = text.trim();
    let bare = text.strip_prefix('[').and_then(|it| it.strip_suffix(']')).unwrap_or(text);
    let with_port = || Some(text.parse::<SocketAddr>().ok()?.ip());
    Some(bare.parse().ok().or_else(with_port)?.to_canonical())
}

/// Parses the address in one element of `Forwarded`.
fn forwarded_for(element: &str) -> Option<IpAddr> {
    let pairs = element.split(';').filter_map(|pair| pair.split_once('='));
    let mut named = pairs.filter(|(name, _)| name.trim().eq_ignore_ascii_case("for"));
    named.next().and_then(|(_, value)| address(value.trim().trim_matches('"')))
}

/// The address from which a request comes.
pub(super) fn address_of(request: &HttpRequest) -> Option<IpAddr> {
    let peer = request.peer_addr()?.ip();
    Some(trusted(request).map_or(peer, |proxies| proxies.client(peer, request.headers())))
}

/// The network from which a request comes, for limits per address.
pub(super) fn network_of(request: &HttpRequest) -> Option<ClientNetwork> {
    address_of(request).map(ClientNetwork::of)
}

/// Whether the request comes through a trusted proxy, so that its headers about the client are
/// believed.
pub(super) fn is_of_a_proxy(request: &HttpRequest) -> bool {
    let known = trusted(request).zip(request.peer_addr());
    known.is_some_and(|(proxies, peer)| proxies.trusts(peer.ip()))
}

fn trusted(request: &HttpRequest) -> Option<&TrustedProxies> {
    request.app_data::<web::Data<TrustedProxies>>().map(|proxies| proxies.get_ref())
}

#[cfg(test)]
mod tests {
    use actix_web::http::header::HeaderValue;

    use super::*;

    /// Finds the client, with trusted proxies on this machine and in a network of containers.
    fn client(peer: &str, headers: &[(&str, &str)]) -> String {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(name.parse().unwrap(), HeaderValue::from_str(value).unwrap());
        }
        let networks = ["127.0.0.0/8", "172.16.0.0/12", "fd00::/8"].map(|it| it.parse().unwrap());
        let proxies = TrustedProxies(networks.to_vec());
        proxies.client(peer.parse().unwrap(), &map).to_string()
    }

    #[test]
    fn a_stranger_is_not_believed() {
        let forged = [("x-forwarded-for", "203.0.113.7"), ("forwarded", "for=203.0.113.7")];
        assert_eq!(client("198.51.100.1", &forged), "198.51.100.1");
        assert_eq!(client("::ffff:198.51.100.1", &forged), "198.51.100.1");
        assert_eq!(client("127.0.0.1", &[]), "127.0.0.1");
    }

    #[test]
    fn client_is_the_last_untrusted_hop() {
        for (told, who) in [
            ("203.0.113.7", "203.0.113.7"),
            ("1.1.1.1, 203.0.113.7", "203.0.113.7"),
            ("127.0.0.1, 203.0.113.7", "203.0.113.7"),
            ("1.1.1.1, 203.0.113.7, 172.17.0.3, 127.0.0.1", "203.0.113.7"),
            ("203.0.113.7:4711, [fd00::2]:80", "203.0.113.7"),
            ("[2001:db8::7]:4711", "2001:db8::7"),
            ("2001:db8::7", "2001:db8::7"),
            ("::ffff:203.0.113.7", "203.0.113.7"),
            // All are trusted proxies: the first one is the client itself.
            ("172.17.0.9, 172.17.0.3", "172.17.0.9"),
        ] {
            assert_eq!(client("172.17.0.2", &[("x-forwarded-for", told)]), who, "{told}");
        }
    }

    #[test]
    fn invalid_hop_ends_forwarded_chain() {
        for told in ["203.0.113.7, unknown, 172.17.0.3", "x, 172.17.0.3", ", 172.17.0.3"] {
            assert_eq!(client("127.0.0.1", &[("x-forwarded-for", told)]), "172.17.0.3", "{told}");
        }
        assert_eq!(client("127.0.0.1", &[("x-forwarded-for", "")]), "127.0.0.1");
    }

    #[test]
    fn headers_in_several_lines_are_one_chain() {
        let lines = [("x-forwarded-for", "1.1.1.1"), ("x-forwarded-for", "203.0.113.7")];
        assert_eq!(client("127.0.0.1", &lines), "203.0.113.7");
    }

    #[test]
    fn the_standard_header_is_read_where_the_old_one_is_missing() {
        let told = "for=1.1.1.1, For=\"[2001:db8::7]:4711\";proto=https, for=172.17.0.3;by=x";
        assert_eq!(client("127.0.0.1", &[("forwarded", told)]), "2001:db8::7");
        assert_eq!(client("127.0.0.1", &[("forwarded", "for=_hidden")]), "127.0.0.1");
        let both = [("forwarded", "for=1.1.1.1"), ("x-forwarded-for", "203.0.113.7")];
        assert_eq!(client("127.0.0.1", &both), "203.0.113.7");
    }
}
