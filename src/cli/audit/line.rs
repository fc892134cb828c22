//! Turns a fact into a line of the audit log: which facts are shown, and in which words.

use std::collections::HashMap;

use serde_json::{Map, Value, json};

use domain::audit::{Address, AdminAct, AuditFact};
use domain::event::Fact;
use domain::group::{GroupFact, MembershipEnd, NOBODY};
use domain::ids::{GroupId, StreamId, TokenId, UserId};
use domain::operators;
use domain::user::UserFact;

/// A fact as the audit log prints it.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct AuditLine {
    /// The name of the act, for programs.
    act: &'static str,
    /// The user that the act is about.
    user: Option<UserId>,
    /// The user who did it, if it was somebody else.
    by: Option<UserId>,
    /// The operator who did it.
    operator: Option<String>,
    group: Option<GroupId>,
    token: Option<TokenId>,
    from: Option<Address>,
    /// The text that was typed as the email address.
    pub(super) email: Option<String>,
    application: Option<String>,
    count: Option<u64>,
    /// The role that an account got; `none` if it lost one.
    role: Option<&'static str>,
    /// Why an operator did it.
    reason: Option<String>,
}

impl AuditLine {
    /// Returns the line of a fact, or `None` for facts that do not concern operators.
    pub(super) fn of(stream: StreamId, fact: &Fact) -> Option<Self> {
        match (stream, fact) {
            (_, Fact::Audit(fact)) => Some(of_audit(fact)),
            (StreamId::User(user), Fact::User(fact)) => of_user(user, fact),
            (StreamId::Group(group), Fact::Group(fact)) => of_group(group, fact),
            _ => None,
        }
    }

    /// The line of a change of email address or phone number; `former` is the email address before.
    pub(super) fn contacts_changed(user: UserId, former: Option<String>) -> Self {
        Self { act: "contacts_changed", user: Some(user), email: former, ..Self::default() }
    }

    /// Every user that the line names.
    pub(super) fn users(&self) -> impl Iterator<Item = UserId> {
        self.user.into_iter().chain(self.by)
    }

    /// Returns the line as a JSON object, for programs.
    pub(super) fn json(&self, at: &str) -> String {
        let text = |id: &dyn ToString| Value::String(id.to_string());
        let fields = [
            ("at", Some(json!(at))),
            ("act", Some(json!(self.act))),
            ("user_id", self.user.map(|it| text(&it))),
            ("by_user_id", self.by.map(|it| text(&it))),
            ("operator", self.operator.as_ref().map(|it| text(it))),
            ("group_id", self.group.map(|it| text(&it))),
            ("token_id", self.token.map(|it| text(&it))),
            ("application", self.application.as_ref().map(|it| text(it))),
            ("email", self.email.as_ref().map(|it| text(it))),
            ("from", self.from.as_ref().map(|it| json!(it.as_str()))),
            ("count", self.count.map(|it| json!(it))),
            ("role", self.role.map(|it| json!(it))),
            ("reason", self.reason.as_ref().map(|it| json!(it))),
        ];
        let said = fields.into_iter().filter_map(|(name, it)| Some((name.to_owned(), it?)));
        Value::Object(said.collect::<Map<_, _>>()).to_string()
    }

    /// Returns the line as text, for people.
    pub(super) fn text(&self, at: &str, names: &AuditNames) -> String {
        let mut words = vec![format!("{at}  {}", self.act.replace('_', " "))];
        words.extend(self.user.map(|user| names.user(user)));
        words.extend(self.email.as_ref().filter(|_| self.user.is_none()).cloned());
        words.extend(self.group.map(|group| format!("in {}", names.group(group))));
        words.extend(self.by.map(|by| format!("by {}", names.user(by))));
        words.extend(self.operator.as_ref().map(|operator| format!("by operator {operator}")));
        words.extend(self.token.map(|token| format!("token {token}")));
        words.extend(self.application.as_ref().map(|application| format!("for {application:?}")));
        words.extend(self.from.as_ref().map(|from| format!("from {}", from.as_str())));
        words.extend(self.count.map(|count| format!("\u{d7}{count}")));
        words.extend(self.role.map(|role| format!("role {role}")));
        words.extend(self.reason.as_ref().map(|reason| format!("because {reason:?}")));
        words.join("  ")
    }
}

fn of_audit(fact: &AuditFact) -> AuditLine {
    match fact {
        AuditFact::LoggedIn { user, token, from } => AuditLine {
            act: "logged_in",
            user: Some(*user),
            token: *token,
            from: from.clone(),
            ..AuditLine::default()
        },
        AuditFact::LoginFailed { user, email, from } => AuditLine {
            act: "login_failed",
            user: *user,
            email: email.as_ref().map(|email| email.as_str().to_owned()),
            from: from.clone(),
            ..AuditLine::default()
        },
        AuditFact::FailuresSkipped { count } => {
            AuditLine { act: "more_logins_failed", count: Some(*count), ..AuditLine::default() }
        }
        AuditFact::Administered { by, act } => {
            AuditLine { operator: Some(by.as_str().to_owned()), ..of_act(act) }
        }
        AuditFact::OperatorActed(deed) => AuditLine {
            by: Some(deed.by),
            from: deed.from.clone(),
            reason: Some(deed.reason.clone()),
            ..of_act(&deed.act)
        },
    }
}

fn of_act(act: &AdminAct) -> AuditLine {
    let role = match act {
        AdminAct::RoleSet { role, .. } => Some(operators::name_of(*role)),
        AdminAct::UserAdded { .. }
        | AdminAct::Provisioned { .. }
        | AdminAct::ScimTokenMade
        | AdminAct::ScimTokenEnded
        | AdminAct::DirectoryGroup { .. }
        | AdminAct::ReportRead { .. }
        | AdminAct::ReportResolved { .. }
        | AdminAct::UserDisabled { .. }
        | AdminAct::UserEnabled { .. }
        | AdminAct::PasswordReset { .. }
        | AdminAct::RecoveryLinkMade { .. }
        | AdminAct::FactorsReset { .. }
        | AdminAct::UserLoggedOut { .. }
        | AdminAct::KindSet { .. }
        | AdminAct::RequestApproved { .. }
        | AdminAct::RequestRefused { .. }
        | AdminAct::GroupFrozen { .. }
        | AdminAct::GroupUnfrozen { .. }
        | AdminAct::GroupUnlisted { .. }
        | AdminAct::GroupDisbanded { .. }
        | AdminAct::SettingsChanged
        | AdminAct::RuleMade { .. }
        | AdminAct::RuleChanged { .. }
        | AdminAct::RuleDeleted { .. }
        | AdminAct::InvitationMade { .. }
        | AdminAct::InvitationEnded { .. }
        | AdminAct::MailRetried { .. }
        | AdminAct::MailTested
        | AdminAct::BackupTaken
        | AdminAct::ClockAccepted => None,
    };
    let group = act.group();
    AuditLine { act: act.name(), user: act.user(), group, role, ..AuditLine::default() }
}

fn of_user(user: UserId, fact: &UserFact) -> Option<AuditLine> {
    let line = AuditLine { user: Some(user), ..AuditLine::default() };
    match fact {
        UserFact::Registered { .. } => Some(AuditLine { act: "registered", ..line }),
        UserFact::TokenIssued(token) => Some(AuditLine {
            act: "token_made",
            token: Some(token.id),
            application: token.application.clone(),
            ..line
        }),
        UserFact::TokenRevoked { id, .. } => {
            Some(AuditLine { act: "token_ended", token: Some(*id), ..line })
        }
        UserFact::TokensRevoked { tokens } => {
            Some(AuditLine { act: "tokens_ended", count: Some(tokens.len() as u64), ..line })
        }
        UserFact::PasswordChanged { .. } => Some(AuditLine { act: "password_changed", ..line }),
        UserFact::ApplicationRegistered(application) => {
            let application = Some(application.name.as_str().to_owned());
            Some(AuditLine { act: "application_registered", application, ..line })
        }
        UserFact::ApplicationsRemoved { clients } => {
            Some(AuditLine { act: "applications_removed", count: Some(clients.len() as u64), ..line })
        }
        UserFact::Deleted => Some(AuditLine { act: "account_deleted", ..line }),
        UserFact::Factored(change) => {
            change.audit_act().map(|act| AuditLine { act, ..line })
        }
        UserFact::Identified(change) => {
            change.audit_act().map(|act| AuditLine { act, ..line })
        }
        // These appear as the act of the operator who did them (`of_audit`).
        UserFact::Disabled
        | UserFact::Enabled
        | UserFact::Provisioned(_)
        | UserFact::OperatorRoleSet { .. }
        // These concern the user alone.
        | UserFact::Waits(_)
        | UserFact::Admitted
        | UserFact::TokenUsed { .. }
        | UserFact::ProfileChanged { .. }
        | UserFact::SmsModeOn(_)
        | UserFact::SmsModeOff
        | UserFact::Blocked { .. }
        | UserFact::Unblocked { .. }
        | UserFact::DeviceAdded(_)
        | UserFact::DeviceRemoved { .. }
        | UserFact::ReadUpTo(_)
        | UserFact::Drafted { .. }
        | UserFact::LevelSet { .. }
        | UserFact::ChatMuted { .. }
        | UserFact::TopicMuted { .. }
        | UserFact::AllMuted { .. }
        | UserFact::DmFromChosen { .. }
        | UserFact::RequestChanged { .. }
        | UserFact::PictureNamed { .. }
        | UserFact::Mailed(_)
        | UserFact::ReportResolved { .. }
        | UserFact::ListArranged { .. }
        | UserFact::MessageSaved(_)
        | UserFact::MessageUnsaved { .. }
        | UserFact::ConversationsPinned { .. } => None,
    }
}

fn of_group(group: GroupId, fact: &GroupFact) -> Option<AuditLine> {
    let line = AuditLine { group: Some(group), ..AuditLine::default() };
    match fact {
        GroupFact::OwnerChanged { old, new } => {
            Some(AuditLine { act: "owner_changed", user: Some(*new), by: Some(*old), ..line })
        }
        GroupFact::MemberLeft { member, parting: MembershipEnd::Removed, by } => Some(AuditLine {
            act: "member_removed",
            user: Some(member.user_id),
            by: Some(*by),
            ..line
        }),
        GroupFact::Disbanded { by } => {
            Some(AuditLine { act: "group_destroyed", by: Some(*by), ..line })
        }
        GroupFact::RequestSettled { user, by, is_approved } => {
            let act = match is_approved {
                true => "request_approved",
                false if user == by => "request_withdrawn",
                false => "request_denied",
            };
            Some(AuditLine { act, user: Some(*user), by: Some(*by), ..line })
        }
        GroupFact::Moderated(moderation) => Some(AuditLine {
            act: moderation.audit_act(),
            user: moderation.user(),
            by: Some(moderation.by()).filter(|by| *by != NOBODY),
            ..line
        }),
        // What members write and take back concerns the conversation alone.
        GroupFact::Revised(_)
        | GroupFact::Polled(_)
        | GroupFact::Planned(_)
        | GroupFact::Topic(_)
        | GroupFact::MemberLeft { parting: MembershipEnd::Left, .. }
        | GroupFact::Created { .. }
        | GroupFact::Posted(_)
        | GroupFact::MembersJoined { .. }
        | GroupFact::MemberChanged { .. }
        | GroupFact::SettingsChanged { .. }
        | GroupFact::AddRequested(_)
        | GroupFact::AddSettled { .. }
        | GroupFact::Liked(_)
        | GroupFact::Unliked(_)
        | GroupFact::BotAdded(_)
        | GroupFact::BotRemoved(_)
        | GroupFact::BotChanged(_)
        | GroupFact::Invited { .. }
        | GroupFact::InvitesSettled { .. }
        | GroupFact::JoinRequested(_) => None,
    }
}

/// The names of users and groups.
#[derive(Debug, Default)]
pub(super) struct AuditNames {
    emails: HashMap<UserId, String>,
    phones: HashMap<UserId, Option<String>>,
    groups: HashMap<GroupId, String>,
}

impl AuditNames {
    /// Takes over the names that a fact contains.
    pub(super) fn learn(&mut self, stream: StreamId, fact: &Fact) {
        match (stream, fact) {
            (
                StreamId::User(id),
                Fact::User(
                    UserFact::Registered { profile, .. } | UserFact::ProfileChanged { profile },
                ),
            ) => {
                self.emails.insert(id, profile.email.as_str().to_owned());
                let phone = profile.phone.as_ref().map(|phone| phone.as_str().to_owned());
                self.phones.insert(id, phone);
            }
            (
                StreamId::Group(id),
                Fact::Group(
                    GroupFact::Created { settings, .. }
                    | GroupFact::SettingsChanged { settings, .. },
                ),
            ) => {
                self.groups.insert(id, settings.name.as_str().to_owned());
            }
            _ => {}
        }
    }

    /// Whether a fact changes the email address or the phone number of its user. To be called
    /// before the fact is learned.
    pub(super) fn change_contacts(&self, user: UserId, fact: &UserFact) -> bool {
        let UserFact::ProfileChanged { profile } = fact else { return false };
        let phone = profile.phone.as_ref().map(|phone| phone.as_str());
        let known_phone = self.phones.get(&user).and_then(|phone| phone.as_deref());
        self.email(user) != Some(profile.email.as_str()) || known_phone != phone
    }

    /// The email address with which a user logs in.
    pub(super) fn email(&self, user: UserId) -> Option<&str> {
        self.emails.get(&user).map(String::as_str)
    }

    /// Formats a user for a line: email address and id.
    pub(super) fn user(&self, user: UserId) -> String {
        self.email(user).map_or_else(|| format!("user {user}"), |email| format!("{email} ({user})"))
    }

    /// Formats a group for a line: name and id.
    pub(super) fn group(&self, group: GroupId) -> String {
        match self.groups.get(&group) {
            Some(name) => format!("{name:?} ({group})"),
            None => format!("group {group}"),
        }
    }
}
