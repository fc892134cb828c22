//! Decides which addresses belong to the public internet. All others are refused: addresses
//! registered for special use, and every form in which an IPv6 address hides an IPv4 address.
//!
//! Follows the IANA registries of special-purpose addresses (RFC 6890 and its updates).

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// IPv4 networks that are not on the public internet: address and prefix length.
const SPECIAL_V4: [([u8; 4], u32); 15] = [
    ([0, 0, 0, 0], 8),       // this host, unspecified
    ([10, 0, 0, 0], 8),      // private
    ([100, 64, 0, 0], 10),   // shared by a carrier's customers
    ([127, 0, 0, 0], 8),     // loopback
    ([169, 254, 0, 0], 16),  // link-local; clouds tell secrets there
    ([172, 16, 0, 0], 12),   // private
    ([192, 0, 0, 0], 24),    // protocol assignments
    ([192, 0, 2, 0], 24),    // documentation
    ([192, 88, 99, 0], 24),  // 6to4 relays, withdrawn
    ([192, 168, 0, 0], 16),  // private
    ([198, 18, 0, 0], 15),   // benchmarking
    ([198, 51, 100, 0], 24), // documentation
    ([203, 0, 113, 0], 24),  // documentation
    ([224, 0, 0, 0], 4),     // multicast
    ([240, 0, 0, 0], 4),     // reserved, broadcast
];

/// Networks within IPv6's global unicast range (2000::/3) that are not public.
const SPECIAL_V6: [([u16; 3], u32); 4] = [
    ([0x2001, 0, 0], 23),     // protocol assignments: Teredo, benchmarking, ORCHID
    ([0x2001, 0xdb8, 0], 32), // documentation
    ([0x2002, 0, 0], 16),     // 6to4: an IPv4 address follows
    ([0x3fff, 0, 0], 20),     // documentation
];

/// Whether the address belongs to the public internet.
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => is_public_v4(v4),
        IpAddr::V6(v6) => is_public_v6(v6),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let bits = u32::from(address);
    !SPECIAL_V4
        .iter()
        .any(|(net, length)| (bits ^ u32::from(Ipv4Addr::from(*net))) >> (32 - length) == 0)
}

/// Whether the address is public. Only 2000::/3 is in public use, so what lies outside it needs no
/// list: loopback, unspecified, mapped and compatible IPv4, NAT64 (64:ff9b::/96 and
/// 64:ff9b:1::/48), discard, unique local, link-local, site-local, multicast.
fn is_public_v6(address: Ipv6Addr) -> bool {
    let bits = u128::from(address);
    let is_in = |net: [u16; 3], length: u32| {
        let net = u128::from(Ipv6Addr::new(net[0], net[1], net[2], 0, 0, 0, 0, 0));
        (bits ^ net) >> (128 - length) == 0
    };
    is_in([0x2000, 0, 0], 3) && !SPECIAL_V6.iter().any(|(net, length)| is_in(*net, *length))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn public(text: &str) -> bool {
        is_public(text.parse().unwrap())
    }

    #[test]
    fn addresses_of_the_public_internet_are_public() {
        for text in [
            "1.1.1.1",
            "8.8.8.8",
            "9.255.255.255",
            "11.0.0.0",
            "100.63.255.255",
            "100.128.0.0",
            "126.255.255.255",
            "128.0.0.0",
            "169.253.255.255",
            "169.255.0.0",
            "172.15.255.255",
            "172.32.0.0",
            "192.167.255.255",
            "192.169.0.0",
            "198.17.255.255",
            "198.20.0.0",
            "223.255.255.255",
            "2606:4700::1111",
            "2a00:1450:4001::200e",
            "2001:200::1",
            "2001:4860:4860::8888",
            "3ffe::1",
        ] {
            assert!(public(text), "{text}");
        }
    }

    #[test]
    fn addresses_for_special_use_are_not() {
        for text in [
            "0.0.0.0",
            "0.1.2.3",
            "10.0.0.1",
            "10.255.255.255",
            "100.64.0.1",
            "100.127.255.255",
            "127.0.0.1",
            "127.255.255.254",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.8",
            "192.0.2.1",
            "192.88.99.1",
            "192.168.0.1",
            "198.18.0.1",
            "198.19.255.255",
            "198.51.100.1",
            "203.0.113.1",
            "224.0.0.1",
            "239.255.255.255",
            "240.0.0.1",
            "255.255.255.255",
        ] {
            assert!(!public(text), "{text}");
        }
    }

    #[test]
    fn addresses_of_ipv6_for_special_use_are_not() {
        for text in [
            "::",
            "::1",
            "100::1",
            "2001:2::1",
            "2001:10::1",
            "2001:20::1",
            "2001:db8::1",
            "3fff:fff::1",
            "5f00::1",
            "fc00::1",
            "fdff::1",
            "fe80::1",
            "febf::1",
            "fec0::1",
            "feff::1",
            "ff02::1",
            "ff0e::1",
        ] {
            assert!(!public(text), "{text}");
        }
    }

    /// Each of these leads to an IPv4 address, some to a public one; nobody has a reason to write a
    /// public one this way.
    #[test]
    fn no_ipv4_address_hides_in_ipv6() {
        for text in [
            "::ffff:127.0.0.1",
            "::ffff:8.8.8.8",
            "::127.0.0.1",
            "::8.8.8.8",
            "::ffff:0:127.0.0.1",
            "64:ff9b::127.0.0.1",
            "64:ff9b::808:808",
            "64:ff9b:1::10.0.0.1",
            "2002:7f00:1::",
            "2002:a00:1::1",
            "2001::1",
            "2001:0:4136:e378:8000:63bf:3fff:fdd2",
        ] {
            assert!(!public(text), "{text}");
        }
    }
}
