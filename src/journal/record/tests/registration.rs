//! The first records of new accounts that wait, and of the domains whose addresses may register.

use std::collections::BTreeSet;

use super::*;
use domain::audit::{AdminAct, AuditFact, OperatorDeed};
use domain::ids::{InvitationId, MailId};
use domain::instance::{InstanceFact, PlaceSettings, SignUp};
use domain::mail::{Mail, MailChange, MailKind, MailLanguage};
use domain::operators::invitations::{AccountInvitation, AddressMark, InvitationChange};
use domain::registration::{AccountWait, RegistrationDomains, WaitingReason};
use domain::text::{AboutText, Email, InviteName};

/// The first payloads of an account that waits for its confirmation and of one that waits no more.
const WAITS: &str = "\
    9192cf0000018bcfe5687b81a45573657281a5576169747392ac436f6e6669726d6174696f6ecf0000018bd0\
    1c5680";
const ADMITTED: &str = "\
    9192cf0000018bcfe5687b81a455736572a841646d6974746564";
/// The first payload of the setting.
const DOMAINS: &str = "\
    9192cf0000018bcfe5687b81a8496e7374616e636581af53657474696e67734368616e6765649199c0c0c0a6\
    446f6d61696ec0c0c0c09291ab6578616d706c652e6f7267c3";

#[test]
fn first_waiting_accounts_are_read() {
    let stream = StreamId::User(UserId::new(7));
    let until = Some(Timestamp::from_seconds(1_700_003_600));
    let waiting = AccountWait { reason: WaitingReason::Confirmation, until };
    is_golden(WAITS, stream, &Fact::User(UserFact::Waits(waiting)));
    is_golden(ADMITTED, stream, &Fact::User(UserFact::Admitted));
    let settings = PlaceSettings {
        sign_up: Some(SignUp::Domain),
        domains: Some(RegistrationDomains::parse(["example.org"], true).unwrap()),
        ..PlaceSettings::default()
    };
    let setting = InstanceFact::SettingsChanged { settings };
    is_golden(DOMAINS, StreamId::Instance, &Fact::Instance(setting));
}

/// The first payloads of an account that waits for an approval, of the mail that tells of one, and of
/// what operators decide.
const ASKS: &str = "\
    9192cf0000018bcfe5687b81a45573657281a557616974739281a8417070726f76616c92a74920636c696d62\
    a64765726d616ec0";
const TOLD: &str = "\
    9192cf0000018bcfe5687b81a45573657281a64d61696c656481a65175657565649503af616e61406578616d\
    706c652e6f7267a8417070726f766564a64765726d616ecf0000018bd01c5680";
const APPROVED: &str = "\
    9192cf0000018bcfe5687b81a5417564697481ad4f70657261746f7241637465649609c081af526571756573\
    74417070726f7665649107a56b6e6f776ec0c0";
const REFUSED: &str = "\
    9192cf0000018bcfe5687b81a5417564697481ad4f70657261746f7241637465649609c081ae526571756573\
    74526566757365649107a56b6e6f776ec0c0";

#[test]
fn first_requests_for_an_account_are_read() {
    let user = UserId::new(7);
    let stream = StreamId::User(user);
    let about = AboutText::parse("I climb".to_owned()).unwrap();
    let waiting = AccountWait::for_approval(Some(about), MailLanguage::German);
    is_golden(ASKS, stream, &Fact::User(UserFact::Waits(waiting)));
    let mail = Mail {
        id: MailId::new(3),
        to: Email::parse("ana@example.org").unwrap(),
        kind: MailKind::Approved,
        language: MailLanguage::German,
        until: Timestamp::from_seconds(1_700_003_600),
        invite: None,
    };
    is_golden(TOLD, stream, &Fact::User(UserFact::Mailed(MailChange::Queued(mail))));
    let decided = |act| {
        let reason = "known".to_owned();
        let by = UserId::new(9);
        let deed = OperatorDeed { by, from: None, act, reason, before: None, after: None };
        Fact::Audit(AuditFact::OperatorActed(deed))
    };
    let approved = decided(AdminAct::RequestApproved { user });
    is_golden(APPROVED, StreamId::Audit, &approved);
    is_golden(REFUSED, StreamId::Audit, &decided(AdminAct::RequestRefused { user }));
}

/// The first payloads of the mode, of an invitation, its use and its end, and of what operators do.
const BY_INVITATION: &str = "\
    9192cf0000018bcfe5687b81a8496e7374616e636581af53657474696e67734368616e6765649194c0c0c0a6\
    496e76697465";
const MADE: &str = "\
    9192cf0000018bcfe5687b81a8496e7374616e636581b1496e7669746174696f6e4368616e67656481a44d61\
    64659915a5746f6b656ea6537072696e6709cf0000018bcfe5680002cf0000018bd01c568091cfd092c8bf70\
    bcc99cc2";
const USED: &str = "\
    9192cf0000018bcfe5687b81a8496e7374616e636581b1496e7669746174696f6e4368616e67656481a45573\
    65649215cfd092c8bf70bcc99c";
const ENDED: &str = "\
    9192cf0000018bcfe5687b81a8496e7374616e636581b1496e7669746174696f6e4368616e67656481a5456e\
    6465649115";
const FORGOTTEN: &str = "\
    9192cf0000018bcfe5687b81a8496e7374616e636581b1496e7669746174696f6e4368616e67656481a9466f\
    72676f7474656e9115";
const MAKING: &str = "\
    9192cf0000018bcfe5687b81a5417564697481ad4f70657261746f7241637465649609c081ae496e76697461\
    74696f6e4d6164659115a56b6e6f776ec0c0";
const ENDING: &str = "\
    9192cf0000018bcfe5687b81a5417564697481ad4f70657261746f7241637465649609c081af496e76697461\
    74696f6e456e6465649115a56b6e6f776ec0c0";

#[test]
fn first_invitations_are_read() {
    let changed = |change| Fact::Instance(InstanceFact::InvitationChanged(change));
    let id = InvitationId::new(21);
    let address = AddressMark::of("token", &Email::parse("ana@example.org").unwrap());
    let invitation = AccountInvitation {
        id,
        token: "token".to_owned(),
        name: Some(InviteName::parse("Spring".to_owned()).unwrap()),
        by: UserId::new(9),
        at: Timestamp::from_seconds(1_700_000_000),
        max_uses: 2,
        expires_at: Some(Timestamp::from_seconds(1_700_003_600)),
        used_by: BTreeSet::from([address]),
        is_ended: false,
    };
    let settings = PlaceSettings { sign_up: Some(SignUp::Invite), ..PlaceSettings::default() };
    let mode = Fact::Instance(InstanceFact::SettingsChanged { settings });
    is_golden(BY_INVITATION, StreamId::Instance, &mode);
    for (golden, change) in [
        (MADE, InvitationChange::Made(invitation.into())),
        (USED, InvitationChange::Used { id, address }),
        (ENDED, InvitationChange::Ended { id }),
        (FORGOTTEN, InvitationChange::Forgotten { id }),
    ] {
        is_golden(golden, StreamId::Instance, &changed(change));
    }
    let deed = |act| {
        let by = UserId::new(9);
        let reason = "known".to_owned();
        let deed = OperatorDeed { by, from: None, act, reason, before: None, after: None };
        Fact::Audit(AuditFact::OperatorActed(deed))
    };
    is_golden(MAKING, StreamId::Audit, &deed(AdminAct::InvitationMade { invitation: id }));
    is_golden(ENDING, StreamId::Audit, &deed(AdminAct::InvitationEnded { invitation: id }));
}
