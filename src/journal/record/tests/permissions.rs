//! The first records of types of groups, of slow mode and of roles.

use super::*;
use domain::group::Admission;
use domain::group::Freeze;
use domain::revision::FOREVER;
use domain::text::JoinQuestion;

/// The first payloads of the settings of an announcement group, of the line about a type, and of
/// the line about a role.
const ANNOUNCEMENT: &str = "\
    9192cf0000018bcfe5687b81a547726f757081af53657474696e67734368616e6765649298a44e657773c0c0\
    c3c094ce7fffffffce7fffffffc3c3a641646d696e73c307";
/// The first payloads of the settings of a group in slow mode, and of the line about it.
const SLOW: &str = "\
    9192cf0000018bcfe5687b81a547726f757081af53657474696e67734368616e6765649299a44e657773c0c0\
    c2c094ce7fffffffce7fffffffc3c3a641646d696e73c21e07";
const SLOW_MODE_CHANGED: &str = "\
    9192cf0000018bcfe5687b81a547726f757081a6506f7374656499cf025bf6196bd1000181a64d656d626572\
    07a3416e61c0a467756964ab726f706520617420736978900381af536c6f774d6f64654368616e676564929207\
    a3416e611e";
/// The first payloads of the settings of a group that approves members, and of the line about it.
const APPROVED: &str = "\
    9192cf0000018bcfe5687b81a547726f757081af53657474696e67734368616e676564929aa44e657773c0c0\
    c2c094ce7fffffffce7fffffffc3c3a641646d696e73c20093c3c3a45768793f07";
const APPROVAL_CHANGED: &str = "\
    9192cf0000018bcfe5687b81a547726f757081a6506f7374656499cf025bf6196bd1000181a64d656d626572\
    07a3416e61c0a467756964ab726f706520617420736978900381af417070726f76616c4368616e6765649292\
    07a3416e61c3";
const TYPE_CHANGED: &str = "\
    9192cf0000018bcfe5687b81a547726f757081a6506f7374656499cf025bf6196bd1000181a64d656d626572\
    07a3416e61c0a467756964ab726f706520617420736978900381ab547970654368616e676564939207a3416e\
    61a6436c6f736564ce7fffffff";
const ROLE_CHANGED: &str = "\
    9192cf0000018bcfe5687b81a547726f757081a6506f7374656499cf025bf6196bd1000181a64d656d626572\
    07a3416e61c0a467756964ab726f706520617420736978900381ab526f6c654368616e676564939207a3416e\
    619208a342656ec3";

const ARCHIVED: &str = "\
    9192cf0000018bcfe5687b81a547726f757081af53657474696e67734368616e676564929ca44e657773c0c0\
    c2c094ce7fffffffce7fffffffc3c3a641646d696e73c20093c2c2c0c3cf0000018bcfe5687b07";
const FROZEN: &str = "\
    9192cf0000018bcfe5687b81a547726f757081af53657474696e67734368616e676564929da44e657773c0c0\
    c2c094ce7fffffffce7fffffffc3c3a641646d696e73c20093c2c2c0c3c092cf0000018bcfe5687ba4737061\
    6d07";
const ARCHIVE_CHANGED: &str = "\
    9192cf0000018bcfe5687b81a547726f757081a6506f7374656499cf025bf6196bd1000181a64d656d626572\
    07a3416e61c0a467756964ab726f706520617420736978900381ae417263686976654368616e676564929207\
    a3416e61c3";
const FREEZE_CHANGED: &str = "\
    9192cf0000018bcfe5687b81a547726f757081a6506f7374656499cf025bf6196bd1000181a64d656d626572\
    07a3416e61c0a467756964ab726f706520617420736978900381ad467265657a654368616e67656491a47370\
    616d";
const SEARCHABLE: &str = "\
    9192cf0000018bcfe5687b81a547726f757081af53657474696e67734368616e676564929ba44e657773c0c0\
    c2c094ce7fffffffce7fffffffc3c3a641646d696e73c20093c2c2c0c307";
const VISIBILITY_CHANGED: &str = "\
    9192cf0000018bcfe5687b81a547726f757081a6506f7374656499cf025bf6196bd1000181a64d656d626572\
    07a3416e61c0a467756964ab726f706520617420736978900381b15669736962696c6974794368616e676564\
    929207a3416e61c3";

#[test]
fn first_types_and_roles_are_read() {
    let stream = StreamId::Group(GroupId::new(10_000_001));
    let settings = Settings {
        name: GroupName::parse("News".to_owned()).unwrap(),
        description: None,
        image: None,
        kind: GroupKind::Announcement,
        share_token: None,
        revising: RevisionPolicy::OPEN,
        mention_all: MentionAll::Admins,
        slow_mode: 0,
        admission: Admission::default(),
        is_searchable: false,
        archived_at: None,
        frozen: None,
    };
    let changed = |settings| {
        let by = UserId::new(7);
        Fact::Group(GroupFact::SettingsChanged { settings, by })
    };
    is_golden(ANNOUNCEMENT, stream, &changed(settings.clone()));
    let slow = Settings { kind: GroupKind::Private, slow_mode: 30, ..settings };
    is_golden(SLOW, stream, &changed(slow.clone()));
    let question = JoinQuestion::parse("Why?".to_owned()).ok();
    let admission = Admission { requires_approval: true, shows_question: true, question };
    is_golden(APPROVED, stream, &changed(Settings { slow_mode: 0, admission, ..slow.clone() }));
    let searchable = Settings { slow_mode: 0, is_searchable: true, ..slow };
    is_golden(SEARCHABLE, stream, &changed(searchable.clone()));
    let at = Timestamp::from_millis(1_700_000_000_123);
    let archived = Settings { archived_at: Some(at), ..searchable.clone() };
    is_golden(ARCHIVED, stream, &changed(archived));
    let frozen = Some(Freeze { at, reason: "spam".to_owned() });
    is_golden(FROZEN, stream, &changed(Settings { frozen, ..searchable }));
    let line = |line: SystemMessage| {
        let message = Message { line: Some(line), ..message() };
        Fact::Group(GroupFact::Posted(Arc::new(message)))
    };
    let named = |id, name: &str| NamedUser { id: UserId::new(id), name: name.to_owned() };
    let user = named(7, "Ana");
    let kind = GroupKind::Closed;
    let of_type = SystemMessage::TypeChanged { user: user.clone(), kind, edit_minutes: FOREVER };
    is_golden(TYPE_CHANGED, stream, &line(of_type));
    let archive = SystemMessage::ArchiveChanged { user: user.clone(), is_archived: true };
    is_golden(ARCHIVE_CHANGED, stream, &line(archive));
    let freeze = SystemMessage::FreezeChanged { reason: Some("spam".to_owned()) };
    is_golden(FREEZE_CHANGED, stream, &line(freeze));
    let slow = SystemMessage::SlowModeChanged { user: user.clone(), seconds: 30 };
    is_golden(SLOW_MODE_CHANGED, stream, &line(slow));
    let approval = SystemMessage::ApprovalChanged { user: user.clone(), on: true };
    is_golden(APPROVAL_CHANGED, stream, &line(approval));
    let listed = SystemMessage::VisibilityChanged { user: user.clone(), is_searchable: true };
    is_golden(VISIBILITY_CHANGED, stream, &line(listed));
    let member = named(8, "Ben");
    let of_role = SystemMessage::RoleChanged { user, member, is_admin: true };
    is_golden(ROLE_CHANGED, stream, &line(of_role));
}
