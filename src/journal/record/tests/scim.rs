//! The first records of accounts that a directory manages.

use super::*;
use domain::audit::{AdminAct, AuditFact, AuditedGroupAct, DirectoryAct, OperatorDeed};
use domain::directory_groups::{DirectoryGroupChange, DirectoryGroupNames};
use domain::ids::DirectoryGroupId;
use domain::instance::InstanceFact;
use domain::operators::OperatorRole;
use domain::scim::{DirectoryNames, ProvisioningChange};

/// The first payloads of each change by a directory.
const NAMED: &str = "\
    9192cf0000018bcfe5687b81a45573657281ab50726f766973696f6e656481a54e616d656492af616e6140\
    6578616d706c652e6f7267a437663361";
const NAMELESS: &str = "\
    9192cf0000018bcfe5687b81a45573657281ab50726f766973696f6e656481a54e616d656492c0c0";
const DEACTIVATED: &str = "\
    9192cf0000018bcfe5687b81a45573657281ab50726f766973696f6e6564ab4465616374697661746564";
const ACTIVATED: &str = "\
    9192cf0000018bcfe5687b81a45573657281ab50726f766973696f6e6564a9416374697661746564";
const REMOVED: &str = "\
    9192cf0000018bcfe5687b81a45573657281ab50726f766973696f6e6564a752656d6f766564";
const RESTORED: &str = "\
    9192cf0000018bcfe5687b81a45573657281ab50726f766973696f6e6564a8526573746f726564";

#[test]
fn first_changes_by_a_directory_are_read() {
    let names = DirectoryNames {
        user_name: Some("ana@example.org".to_owned()),
        external_id: Some("7f3a".to_owned()),
    };
    for (payload, change) in [
        (NAMED, ProvisioningChange::Named(names)),
        (NAMELESS, ProvisioningChange::Named(DirectoryNames::default())),
        (DEACTIVATED, ProvisioningChange::Deactivated),
        (ACTIVATED, ProvisioningChange::Activated),
        (REMOVED, ProvisioningChange::Removed),
        (RESTORED, ProvisioningChange::Restored),
    ] {
        let fact = Fact::User(UserFact::Provisioned(change));
        is_golden(payload, StreamId::User(UserId::new(7)), &fact);
    }
}

/// The first payloads of each act of a directory, and of its tokens.
const ACT_CREATED: &str = "\
    9192cf0000018bcfe5687b81a5417564697481ad4f70657261746f7241637465649605c081ab50726f7669\
    73696f6e65649207a743726561746564a9617320616772656564c0c0";
const ACT_CHANGED: &str = "\
    9192cf0000018bcfe5687b81a5417564697481ad4f70657261746f7241637465649605c081ab50726f7669\
    73696f6e65649207a74368616e676564a9617320616772656564c0c0";
const ACT_DEACTIVATED: &str = "\
    9192cf0000018bcfe5687b81a5417564697481ad4f70657261746f7241637465649605c081ab50726f7669\
    73696f6e65649207ab4465616374697661746564a9617320616772656564c0c0";
const ACT_ACTIVATED: &str = "\
    9192cf0000018bcfe5687b81a5417564697481ad4f70657261746f7241637465649605c081ab50726f7669\
    73696f6e65649207a9416374697661746564a9617320616772656564c0c0";
const ACT_DELETED: &str = "\
    9192cf0000018bcfe5687b81a5417564697481ad4f70657261746f7241637465649605c081ab50726f7669\
    73696f6e65649207a744656c65746564a9617320616772656564c0c0";
const ACT_RESTORED: &str = "\
    9192cf0000018bcfe5687b81a5417564697481ad4f70657261746f7241637465649605c081ab50726f7669\
    73696f6e65649207a8526573746f726564a9617320616772656564c0c0";
const TOKEN_MADE: &str = "\
    9192cf0000018bcfe5687b81a5417564697481ad4f70657261746f7241637465649605c0ad5363696d546f\
    6b656e4d616465a9617320616772656564a0a8456e747261204944";
const TOKEN_ENDED: &str = "\
    9192cf0000018bcfe5687b81a5417564697481ad4f70657261746f7241637465649605c0ae5363696d546f\
    6b656e456e646564a9617320616772656564a8456e747261204944a0";

#[test]
fn first_acts_of_a_directory_are_read() {
    let deed = |act, change: Option<(&str, &str)>| {
        let (before, after) = change.map(|(a, b)| (a.to_owned(), b.to_owned())).unzip();
        let by = UserId::new(5);
        let from = None;
        let reason = "as agreed".to_owned();
        Fact::Audit(AuditFact::OperatorActed(OperatorDeed { by, from, act, reason, before, after }))
    };
    let user = UserId::new(7);
    for (payload, act) in [
        (ACT_CREATED, DirectoryAct::Created),
        (ACT_CHANGED, DirectoryAct::Changed),
        (ACT_DEACTIVATED, DirectoryAct::Deactivated),
        (ACT_ACTIVATED, DirectoryAct::Activated),
        (ACT_DELETED, DirectoryAct::Deleted),
        (ACT_RESTORED, DirectoryAct::Restored),
    ] {
        let fact = deed(AdminAct::Provisioned { user, act }, None);
        is_golden(payload, StreamId::Audit, &fact);
    }
    let made = deed(AdminAct::ScimTokenMade, Some(("", "Entra ID")));
    is_golden(TOKEN_MADE, StreamId::Audit, &made);
    let ended = deed(AdminAct::ScimTokenEnded, Some(("Entra ID", "")));
    is_golden(TOKEN_ENDED, StreamId::Audit, &ended);
}

/// The first payloads of each change of a group of a directory, and of each act on one.
const GROUP_CREATED: &str = "\
    9192cf0000018bcfe5687b81a8496e7374616e636581b54469726563746f727947726f75704368616e6765\
    64920581a74372656174656492a55374616666a437663361";
const GROUP_NAMED: &str = "\
    9192cf0000018bcfe5687b81a8496e7374616e636581b54469726563746f727947726f75704368616e6765\
    64920581a54e616d656492a55374616666c0";
const GROUP_MEMBERS: &str = "\
    9192cf0000018bcfe5687b81a8496e7374616e636581b54469726563746f727947726f75704368616e6765\
    64920581ae4d656d626572734368616e676564929207089109";
const GROUP_MAPPED: &str = "\
    9192cf0000018bcfe5687b81a8496e7374616e636581b54469726563746f727947726f75704368616e6765\
    64920581a64d6170706564a94d6f64657261746f72";
const GROUP_UNMAPPED: &str = "\
    9192cf0000018bcfe5687b81a8496e7374616e636581b54469726563746f727947726f75704368616e6765\
    64920581a64d6170706564c0";
const GROUP_DELETED: &str = "\
    9192cf0000018bcfe5687b81a8496e7374616e636581b54469726563746f727947726f75704368616e6765\
    649205a744656c65746564";

#[test]
fn first_groups_of_a_directory_are_read() {
    let named = |external_id: Option<&str>| {
        let external_id = external_id.map(str::to_owned);
        DirectoryGroupNames { name: "Staff".to_owned(), external_id }
    };
    let added = vec![UserId::new(7), UserId::new(8)];
    let removed = vec![UserId::new(9)];
    for (payload, change) in [
        (GROUP_CREATED, DirectoryGroupChange::Created(named(Some("7f3a")))),
        (GROUP_NAMED, DirectoryGroupChange::Named(named(None))),
        (GROUP_MEMBERS, DirectoryGroupChange::MembersChanged { added, removed }),
        (GROUP_MAPPED, DirectoryGroupChange::Mapped(Some(OperatorRole::Moderator))),
        (GROUP_UNMAPPED, DirectoryGroupChange::Mapped(None)),
        (GROUP_DELETED, DirectoryGroupChange::Deleted),
    ] {
        let id = DirectoryGroupId::new(5);
        let fact = Fact::Instance(InstanceFact::DirectoryGroupChanged { id, change });
        is_golden(payload, StreamId::Instance, &fact);
    }
}

const GROUP_ACT_CREATED: &str = "\
    9192cf0000018bcfe5687b81a5417564697481ad4f70657261746f7241637465649605c081ae4469726563\
    746f727947726f75709205a743726561746564a9617320616772656564c0c0";
const GROUP_ACT_CHANGED: &str = "\
    9192cf0000018bcfe5687b81a5417564697481ad4f70657261746f7241637465649605c081ae4469726563\
    746f727947726f75709205a74368616e676564a9617320616772656564c0c0";
const GROUP_ACT_DELETED: &str = "\
    9192cf0000018bcfe5687b81a5417564697481ad4f70657261746f7241637465649605c081ae4469726563\
    746f727947726f75709205a744656c65746564a9617320616772656564c0c0";
const GROUP_ACT_MAPPED: &str = "\
    9192cf0000018bcfe5687b81a5417564697481ad4f70657261746f7241637465649605c081ae4469726563\
    746f727947726f75709205a64d6170706564a9617320616772656564c0c0";

#[test]
fn first_acts_on_groups_of_a_directory_are_read() {
    for (payload, act) in [
        (GROUP_ACT_CREATED, AuditedGroupAct::Created),
        (GROUP_ACT_CHANGED, AuditedGroupAct::Changed),
        (GROUP_ACT_DELETED, AuditedGroupAct::Deleted),
        (GROUP_ACT_MAPPED, AuditedGroupAct::Mapped),
    ] {
        let act = AdminAct::DirectoryGroup { group: DirectoryGroupId::new(5), act };
        let reason = "as agreed".to_owned();
        let by = UserId::new(5);
        let deed = OperatorDeed { by, from: None, act, reason, before: None, after: None };
        is_golden(payload, StreamId::Audit, &Fact::Audit(AuditFact::OperatorActed(deed)));
    }
}
