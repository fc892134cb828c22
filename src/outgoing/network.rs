//! Networks that an operator names, as in `192.168.0.0/16`.

use std::net::IpAddr;
use std::str::FromStr;

/// A network: an address and how many of its bits all members share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Network {
    address: IpAddr,
    length: u32,
}

/// The text names no network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be networks like 10.0.0.0/8 or fd00::/8 with commas between them, or none")]
pub struct NotANetwork;

impl Network {
    /// The loopback networks of this machine.
    pub fn loopback() -> Vec<Self> {
        let v4 = Self { address: IpAddr::from([127, 0, 0, 0]), length: 8 };
        let v6 = Self { address: IpAddr::from([0, 0, 0, 0, 0, 0, 0, 1]), length: 128 };
        vec![v4, v6]
    }

    /// Every address: for URLs that the operator sets, not for those of users.
    pub fn all() -> Vec<Self> {
        let v4 = Self { address: IpAddr::from([0; 4]), length: 0 };
        let v6 = Self { address: IpAddr::from([0; 16]), length: 0 };
        vec![v4, v6]
    }

    /// Whether some address is in both networks.
    pub fn meets(&self, other: &Self) -> bool {
        self.contains(other.address) || other.contains(self.address)
    }

    /// Whether the network contains the address. An IPv4 address mapped into IPv6 counts as IPv4,
    /// since that is where a connection would go.
    pub fn contains(&self, address: IpAddr) -> bool {
        match (self.address, address.to_canonical()) {
            (IpAddr::V4(net), IpAddr::V4(it)) => {
                same_start(u32::from(net).into(), u32::from(it).into(), self.length + 96)
            }
            (IpAddr::V6(net), IpAddr::V6(it)) => same_start(net.into(), it.into(), self.length),
            (IpAddr::V4(_), IpAddr::V6(_)) | (IpAddr::V6(_), IpAddr::V4(_)) => false,
        }
    }
}

fn same_start(one: u128, other: u128, length: u32) -> bool {
    (one ^ other).checked_shr(128 - length).unwrap_or(0) == 0
}

impl FromStr for Network {
    type Err = NotANetwork;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (address, length) = match text.trim().split_once('/') {
            Some((address, length)) => (address, Some(length)),
            None => (text.trim(), None),
        };
        let address: IpAddr = address.parse().map_err(|_| NotANetwork)?;
        let bits = if address.is_ipv4() { 32 } else { 128 };
        let length = match length {
            Some(length) => length.parse().map_err(|_| NotANetwork)?,
            None => bits,
        };
        if length > bits { Err(NotANetwork) } else { Ok(Self { address, length }) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(network: &str, address: &str) -> bool {
        network.parse::<Network>().unwrap().contains(address.parse().unwrap())
    }

    #[test]
    fn network_contains_addresses_with_its_prefix() {
        assert!(holds("10.0.0.0/8", "10.255.1.2"));
        assert!(!holds("10.0.0.0/8", "11.0.0.0"));
        assert!(holds("192.168.1.7", "192.168.1.7"));
        assert!(!holds("192.168.1.7", "192.168.1.6"));
        assert!(holds("0.0.0.0/0", "8.8.8.8"));
        assert!(!holds("0.0.0.0/0", "::1"));
        assert!(holds("fd00::/8", "fdab::1"));
        assert!(!holds("fd00::/8", "fc00::1"));
        assert!(holds("::/0", "::1"));
    }

    #[test]
    fn ipv4_mapped_address_equals_ipv4() {
        assert!(holds("127.0.0.0/8", "::ffff:127.0.0.1"));
        assert!(!holds("::/0", "::ffff:127.0.0.1"));
        assert!(!holds("127.0.0.0/8", "64:ff9b::7f00:1"));
    }

    #[test]
    fn invalid_network_is_refused() {
        for text in ["", "10.0.0.0/33", "10.0.0/8", "::/129", "localhost", "10.0.0.0/-1", "1/8"] {
            assert_eq!(text.parse::<Network>(), Err(NotANetwork), "{text:?}");
        }
    }
}
