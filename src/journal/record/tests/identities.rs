//! The first records of identities at providers.

use super::*;
use domain::factors::SecretHash;
use domain::identities::{Identity, IdentityChange, ProviderSession};
use domain::ids::TokenId;

/// The first payloads of each change of identities.
const LINKED: &str = "\
    9192cf0000018bcfe5687b81a45573657281aa4964656e74696669656481a64c696e6b65649292b6687474\
    70733a2f2f69642e6578616d706c652e6f7267a137af616e61406578616d706c652e6f7267";
const UNLINKED: &str = "\
    9192cf0000018bcfe5687b81a45573657281aa4964656e74696669656481a8556e6c696e6b65649192b668\
    747470733a2f2f69642e6578616d706c652e6f7267a137";
const WITHOUT_PASSWORD: &str = "\
    9192cf0000018bcfe5687b81a45573657281aa4964656e746966696564b4426567756e576974686f757450\
    617373776f7264";
const SESSION: &str = "\
    9192cf0000018bcfe5687b81a45573657281aa4964656e74696669656481ac53657373696f6e426567756e\
    9303b668747470733a2f2f69642e6578616d706c652e6f7267a173";
const LOGGED_OUT: &str = "\
    9192cf0000018bcfe5687b81a45573657281aa4964656e74696669656481a94c6f676765644f757491dc00\
    200707070707070707070707070707070707070707070707070707070707070707";

#[test]
fn the_first_identities_are_read() {
    let issuer = "https://id.example.org".to_owned();
    let identity = || Identity { issuer: issuer.clone(), subject: "7".to_owned() };
    let email = Some("ana@example.org".to_owned());
    let session = Some("s".to_owned());
    let begun = ProviderSession { token: TokenId::new(3), issuer: issuer.clone(), session };
    for (payload, change) in [
        (LINKED, IdentityChange::Linked { identity: identity(), email }),
        (UNLINKED, IdentityChange::Unlinked { identity: identity() }),
        (WITHOUT_PASSWORD, IdentityChange::BegunWithoutPassword),
        (SESSION, IdentityChange::SessionBegun(begun)),
        (LOGGED_OUT, IdentityChange::LoggedOut { logout: SecretHash::new([7; 32]) }),
    ] {
        let fact = Fact::User(UserFact::Identified(change));
        is_golden(payload, StreamId::User(UserId::new(7)), &fact);
    }
}
