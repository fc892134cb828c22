//! The first records of guests: their accounts, their memberships, and who takes them.

use super::*;
use domain::audit::{AdminAct, AuditFact, OperatorDeed};
use domain::group::{Member, Newcomer, Role};
use domain::guests::Guest;
use domain::ids::MembershipId;
use domain::instance::{InstanceFact, PlaceSettings};
use domain::text::{Email, Nickname, UserName};
use domain::user::Profile;

/// The first payloads of an account of a guest with an end and of one without, of a guest who became
/// a member of a group, and of the setting.
const REGISTERED: &str = "\
    9192cf0000018bcfe5687b81a45573657281aa526567697374657265649296a347696caf67696c406578616d\
    706c652e6f7267c0c0c091cf0000018bd01c5680a170";
const UNENDED: &str = "\
    9192cf0000018bcfe5687b81a45573657281ae50726f66696c654368616e6765649196a347696caf67696c40\
    6578616d706c652e6f7267c0c0c091c0";
const JOINED: &str = "\
    9192cf0000018bcfe5687b81a547726f757081ad4d656d626572734a6f696e65649291991e07a347696ca347\
    696cc0a64d656d626572c2c0c307";
const SETTING: &str = "\
    9192cf0000018bcfe5687b81a8496e7374616e636581af53657474696e67734368616e6765649197c0c0c0c0\
    c0c0c3";
const ACT: &str = "\
    9192cf0000018bcfe5687b81a5417564697481ad4f70657261746f7241637465649605c081a74b696e645365\
    749107a56869726564a56775657374a66d656d626572";

#[test]
fn first_guests_are_read() {
    let user = UserId::new(7);
    let profile = |until| Profile {
        name: UserName::parse("Gil".to_owned()).unwrap(),
        email: Email::parse("gil@example.org").unwrap(),
        phone: None,
        image: None,
        zip_code: None,
        guest: Some(Guest { until }),
    };
    let until = Some(Timestamp::from_seconds(1_700_003_600));
    let registered = UserFact::Registered { profile: profile(until), password: "p".to_owned() };
    is_golden(REGISTERED, StreamId::User(user), &Fact::User(registered));
    let changed = UserFact::ProfileChanged { profile: profile(None) };
    is_golden(UNENDED, StreamId::User(user), &Fact::User(changed));
    let newcomer = Newcomer {
        id: user,
        name: UserName::parse("Gil".to_owned()).unwrap(),
        image: None,
        is_guest: true,
    };
    let member = Member {
        membership_id: MembershipId::new(30),
        user_id: newcomer.id,
        nickname: Nickname::from(newcomer.name.clone()),
        name: "Gil".to_owned(),
        image: newcomer.image,
        role: Role::Member,
        muted: false,
        mute_ends: None,
        is_guest: newcomer.is_guest,
    };
    let joined = GroupFact::MembersJoined { members: vec![member], by: user };
    is_golden(JOINED, StreamId::Group(GroupId::new(10_000_001)), &Fact::Group(joined));
    let settings = PlaceSettings { guests: Some(true), ..PlaceSettings::default() };
    let setting = InstanceFact::SettingsChanged { settings };
    is_golden(SETTING, StreamId::Instance, &Fact::Instance(setting));
    let act = AdminAct::KindSet { user };
    let deed = OperatorDeed {
        by: UserId::new(5),
        from: None,
        act,
        reason: "hired".to_owned(),
        before: Some("guest".to_owned()),
        after: Some("member".to_owned()),
    };
    is_golden(ACT, StreamId::Audit, &Fact::Audit(AuditFact::OperatorActed(deed)));
}
