//! The first records of invite links, and of requests to join by one.

use super::*;
use domain::group::{
    InviteLink, InviteLinkChange, JoinRequest, LinkApproval, Moderation, Newcomer, RequestLink,
    RequestOrigin,
};
use domain::ids::{InviteLinkId, MembershipId};
use domain::named::NamedUser;
use domain::text::{InviteName, UserName};

/// The first payloads of a link that was made, used and ended, and of a request.
const MADE: &str = "\
    9192cf0000018bcfe5687b81a547726f757081a94d6f6465726174656481aa496e766974654c696e6b81a44d\
    6164659a5aa3614233a6506f7374657207cf0000018bcfe5680005cf0000018bd01c5680a341736b00c2";
const USED: &str = "\
    9192cf0000018bcfe5687b81a547726f757081a94d6f6465726174656481aa496e766974654c696e6b81a455\
    736564935a0708";
const ENDED: &str = "\
    9192cf0000018bcfe5687b81a547726f757081a94d6f6465726174656481aa496e766974654c696e6b81a545\
    6e646564935a0706";
const REQUESTED: &str = "\
    9192cf0000018bcfe5687b81a547726f757081ad4a6f696e526571756573746564951e9308a343656dc0c0cf\
    0000018bcfe56800945aa3614233a6506f737465729207a342656e";

#[test]
fn first_invite_links_are_read() {
    let stream = StreamId::Group(GroupId::new(10_000_001));
    let changed = |change: InviteLinkChange| {
        Fact::Group(GroupFact::Moderated(Moderation::InviteLink(change).into()))
    };
    let id = InviteLinkId::new(90);
    let name = InviteName::parse("Poster".to_owned()).ok();
    let link = InviteLink {
        id,
        token: "aB3".to_owned(),
        name: name.clone(),
        by: UserId::new(7),
        at: Timestamp::from_seconds(1_700_000_000),
        max_uses: Some(5),
        expires_at: Some(Timestamp::from_seconds(1_700_003_600)),
        approval: Some(LinkApproval::Ask),
        uses: 0,
        is_ended: false,
    };
    is_golden(MADE, stream, &changed(InviteLinkChange::Made(link)));
    let maker = UserId::new(7);
    let used = InviteLinkChange::Used { id, maker, user: UserId::new(8) };
    is_golden(USED, stream, &changed(used));
    let ended = InviteLinkChange::Ended { id, maker, by: UserId::new(6) };
    is_golden(ENDED, stream, &changed(ended));
    let by = NamedUser { id: maker, name: "Ben".to_owned() };
    let request = JoinRequest {
        id: MembershipId::new(30),
        user: Newcomer {
            id: UserId::new(8),
            name: UserName::parse("Cem".to_owned()).unwrap(),
            image: None,
        },
        origin: RequestOrigin::Link(RequestLink { id, token: "aB3".to_owned(), name, by }),
        at: Timestamp::from_seconds(1_700_000_000),
    };
    is_golden(REQUESTED, stream, &Fact::Group(GroupFact::JoinRequested(request)));
}
