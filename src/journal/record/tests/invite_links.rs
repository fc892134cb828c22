//! The first records of invite links, and of requests to join by one.

use super::*;
use domain::group::{
    Addressee, InviteLink, InviteLinkChange, JoinAnswer, JoinRequest, LinkApproval, Moderation,
    Newcomer, RequestLink, RequestOrigin,
};
use domain::ids::{InviteLinkId, MembershipId};
use domain::named::NamedUser;
use domain::text::{Email, InviteName, JoinResponse, Nickname, UserName};

/// The first payloads of a link that was made, used and ended, and of a request.
const MADE: &str = "\
    9192cf0000018bcfe5687b81a547726f757081a94d6f6465726174656481aa496e766974654c696e6b81a44d\
    6164659a5aa3614233a6506f7374657207cf0000018bcfe5680005cf0000018bd01c5680a341736b00c2";
const FOR_GUESTS: &str = "\
    9192cf0000018bcfe5687b81a547726f757081a94d6f6465726174656481aa496e766974654c696e6b81a44d\
    6164659b5aa3614233a6506f7374657207cf0000018bcfe5680005cf0000018bd01c5680a341736b00c2c3";
const BY_EMAIL: &str = "\
    9192cf0000018bcfe5687b81a547726f757081a94d6f6465726174656481aa496e766974654c696e6b81a44d\
    6164659c5aa3614233a6506f7374657207cf0000018bcfe5680005cf0000018bd01c5680a341736b00c2c292\
    af63656d406578616d706c652e6f7267c2";
const USED: &str = "\
    9192cf0000018bcfe5687b81a547726f757081a94d6f6465726174656481aa496e766974654c696e6b81a455\
    736564935a0708";
const ENDED: &str = "\
    9192cf0000018bcfe5687b81a547726f757081a94d6f6465726174656481aa496e766974654c696e6b81a545\
    6e646564935a0706";
const REQUESTED: &str = "\
    9192cf0000018bcfe5687b81a547726f757081ad4a6f696e526571756573746564951e9308a343656dc0c0cf\
    0000018bcfe56800945aa3614233a6506f737465729207a342656e";
/// The first payloads of a request with an answer, by the share URL, and of an added person.
const ANSWERED: &str = "\
    9192cf0000018bcfe5687b81a547726f757081ad4a6f696e526571756573746564961e9308a343656dc0c0cf\
    0000018bcfe56800945aa3614233a6506f737465729207a342656e92c092a45768793fa9546f20636c696d62\
    2e";
const BY_SHARE_URL: &str = "\
    9192cf0000018bcfe5687b81a547726f757081ad4a6f696e526571756573746564961e9308a343656dc0c0cf\
    0000018bcfe56800c092a8536861726555726c92a45768793fa9546f20636c696d622e";
const ADDED: &str = "\
    9192cf0000018bcfe5687b81a547726f757081ad4a6f696e526571756573746564961e9308a343656dc0c0cf\
    0000018bcfe56800c09281a54164646564929207a342656ea7436c696d626572c0";
const FROM_DIRECTORY: &str = "\
    9192cf0000018bcfe5687b81a547726f757081ad4a6f696e526571756573746564961e9308a343656dc0c0cf\
    0000018bcfe56800c092a94469726563746f7279c0";

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
        guests: None,
        addressee: None,
    };
    is_golden(MADE, stream, &changed(InviteLinkChange::Made(link.clone())));
    let link = InviteLink { guests: Some(true), ..link };
    is_golden(FOR_GUESTS, stream, &changed(InviteLinkChange::Made(link.clone())));
    let email = Email::parse("cem@example.org").unwrap();
    let addressee = Some(Addressee { email, is_void: false });
    let link = InviteLink { guests: Some(false), addressee, ..link };
    is_golden(BY_EMAIL, stream, &changed(InviteLinkChange::Made(link)));
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
            is_guest: false,
        },
        origin: RequestOrigin::Link(RequestLink { id, token: "aB3".to_owned(), name, by }),
        at: Timestamp::from_seconds(1_700_000_000),
        answer: None,
    };
    let filed = |request| Fact::Group(GroupFact::JoinRequested(request));
    is_golden(REQUESTED, stream, &filed(request.clone()));
    let response = JoinResponse::parse("To climb.".to_owned()).unwrap();
    let answer = Some(JoinAnswer { question: "Why?".to_owned(), response });
    let answered = JoinRequest { answer: answer.clone(), ..request.clone() };
    is_golden(ANSWERED, stream, &filed(answered));
    let origin = RequestOrigin::ShareUrl;
    is_golden(BY_SHARE_URL, stream, &filed(JoinRequest { origin, answer, ..request.clone() }));
    let by = NamedUser { id: maker, name: "Ben".to_owned() };
    let nickname = Nickname::parse("Climber".to_owned()).unwrap();
    let origin = RequestOrigin::Added { by, nickname };
    is_golden(ADDED, stream, &filed(JoinRequest { origin, ..request.clone() }));
    let origin = RequestOrigin::Directory;
    is_golden(FROM_DIRECTORY, stream, &filed(JoinRequest { origin, ..request }));
}
