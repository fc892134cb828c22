//! JSON of `/v3/admin`: accounts, groups and the audit log, as operators see them.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::fields::{Fields, Problems};
use crate::group::{FrozenResource, frozen};
use crate::group_bodies::{HIDDEN, SEARCHABLE};
use crate::instance::Instance;
use crate::schema::scalars::TextId;
use domain::audit::Deed;
use domain::group::GroupKind;
use domain::guests::AccountKind;
use domain::ids::UserId;
use domain::instance::{NewSetting, PasswordLogin, SettingsInEffect, SignUp, SourcedValue, switch};
use domain::limits::{CONTACT_CHARS, GREETING_CHARS, PLACE_NAME_CHARS, QUERY_CHARS, REASON_CHARS};
use domain::message_requests::DmFrom;
use domain::operators::OperatorRole;
use domain::operators::lists::{
    AuditQuery, ListQuery, ListedAccount, ListedAct, ListedGroup, NamedAccount,
};
use domain::registration::{DomainsRefusal, RegistrationDomains};
use domain::required_factor::FactorRequirement;
use domain::text::{Email, GroupName, LineText, Phone, UserName, at_most, parse_lines};
use domain::time::Timestamp;

/// The number of entries of a page, unless the request says otherwise.
pub const PAGE: usize = 50;
/// The maximum number of entries of a page.
pub const LONGEST_PAGE: usize = 200;

/// The version of the server, and the role of the operator who asks.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ServerVersion {
    /// The version.
    pub version: &'static str,
    /// Your role: `admin`, `moderator` or `auditor`.
    pub role: &'static str,
}

/// An account, as operators see it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AdminUser {
    /// The user's id.
    id: TextId,
    /// The user's name.
    name: UserName,
    /// The email address to log in with.
    email: Email,
    /// Whether the address was confirmed.
    email_verified: bool,
    /// Phone number; null if there is none.
    phone_number: Option<Phone>,
    /// URL of the user's picture; null if there is none.
    image_url: Option<String>,
    /// When the user registered. Unix time in seconds.
    created_at: u64,
    /// When an operator disabled the account; null if it is enabled. Unix time in seconds.
    disabled_at: Option<u64>,
    /// When a directory deactivated the account through SCIM; null if it is active there. Unix time
    /// in seconds.
    deactivated_at: Option<u64>,
    /// What a new account waits for before anybody can log in: `confirmation` or `approval`;
    /// null if it can be used.
    waiting: Option<&'static str>,
    /// `member` or `guest`.
    #[schemars(extend("enum" = AccountKind::ALL.map(AccountKind::as_str)))]
    kind: &'static str,
    /// When the account of a guest ends; null if it does not. Unix time in seconds.
    expires_at: Option<u64>,
    /// The role of an operator: `admin`, `moderator` or `auditor`; null for everybody else.
    role: Option<&'static str>,
    /// The number of tokens.
    tokens: usize,
    /// When a token was last used, accurate to a day; null if none was. Unix time in seconds.
    last_used_at: Option<u64>,
    /// The number of groups that the user is in.
    groups: usize,
}

/// Builds the JSON of an account.
pub fn user(account: &ListedAccount, instance: &Instance) -> AdminUser {
    let profile = &account.profile;
    AdminUser {
        id: account.id.into(),
        name: profile.name.clone(),
        email: profile.email.clone(),
        email_verified: account.is_verified,
        phone_number: profile.phone.clone(),
        image_url: profile.image.as_ref().map(|image| instance.image_url(image)),
        created_at: account.created_at.seconds(),
        disabled_at: account.disabled_at.map(Timestamp::seconds),
        deactivated_at: account.deactivated_at.map(Timestamp::seconds),
        waiting: account.waiting.as_ref().map(|it| it.reason.as_str()),
        kind: profile.kind().as_str(),
        expires_at: profile.guest.and_then(|it| it.until).map(Timestamp::seconds),
        role: account.role.map(OperatorRole::as_str),
        tokens: account.tokens,
        last_used_at: account.last_used_at.map(Timestamp::seconds),
        groups: account.groups,
    }
}

/// A page of accounts.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AdminUsers {
    /// The accounts, newest first.
    pub users: Vec<AdminUser>,
    /// The `before` of the next page; null if this is the last one. A page may be empty although
    /// more follow.
    pub before: Option<String>,
}

/// A group, as operators see it: without what is written there.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AdminGroup<'a> {
    /// The group's id.
    id: TextId,
    /// The group's name.
    name: GroupName,
    /// URL of the group's picture; null if there is none.
    image_url: Option<String>,
    /// Type of the group.
    #[serde(rename = "type")]
    #[schemars(with = "String")]
    kind: &'static str,
    /// The number of members.
    members: usize,
    /// The number of bots.
    bots: usize,
    /// The number of messages posted so far.
    messages: u64,
    /// Whether the group has a share URL.
    shared: bool,
    /// Whether the directory of groups lists the group: `searchable` or `hidden`.
    visibility: &'static str,
    /// When the owner archived the group; null if it is not archived. Unix time in seconds.
    archived_at: Option<u64>,
    /// Present if operators froze the group; null otherwise.
    frozen: Option<FrozenResource<'a>>,
    /// The owner.
    owner: NamedPerson,
    /// When the group was created. Unix time in seconds.
    created_at: u64,
    /// When settings or members last changed. Unix time in seconds.
    updated_at: u64,
}

/// A person with their name.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct NamedPerson {
    /// The user's id.
    pub user_id: TextId,
    /// The user's name; null if the account is unknown.
    pub name: Option<UserName>,
}

pub(crate) fn person(account: &NamedAccount) -> NamedPerson {
    NamedPerson { user_id: account.id.into(), name: account.name.clone() }
}

/// Builds the JSON of a group.
pub fn group<'a>(group: &'a ListedGroup, instance: &Instance) -> AdminGroup<'a> {
    let settings = &group.settings;
    AdminGroup {
        id: group.id.into(),
        name: settings.name.clone(),
        image_url: settings.image.as_ref().map(|image| instance.image_url(image)),
        kind: GroupKind::as_str(settings.kind),
        members: group.members,
        bots: group.bots,
        messages: group.messages,
        shared: settings.share_token.is_some(),
        visibility: if settings.is_searchable { SEARCHABLE } else { HIDDEN },
        archived_at: settings.archived_at.map(Timestamp::seconds),
        frozen: settings.frozen.as_ref().map(frozen),
        owner: person(&group.owner),
        created_at: group.created_at.seconds(),
        updated_at: group.updated_at.seconds(),
    }
}

/// A page of groups.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AdminGroups<'a> {
    /// The groups, newest first.
    pub groups: Vec<AdminGroup<'a>>,
    /// The `before` of the next page; null if this is the last one. A page may be empty although
    /// more follow.
    pub before: Option<String>,
}

/// Something that an operator did.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AuditEntry {
    /// The entry's id.
    id: String,
    /// When it was done. Unix time in seconds.
    at: u64,
    /// The act, such as `user_disabled`.
    act: &'static str,
    /// The operator; null if it was done on the machine.
    by: Option<NamedPerson>,
    /// The account of the operating system; null if it was done from an account.
    machine: Option<String>,
    /// The address of the client; null if it is unknown.
    from: Option<String>,
    /// The user to whom it was done; null if it was done to nobody.
    target: Option<NamedPerson>,
    /// Id of the group to which it was done; null if it was done to no group.
    group_id: Option<TextId>,
    /// Why, as the operator wrote it; null for acts on the machine.
    reason: Option<String>,
    /// The value before a change; null if nothing was changed.
    before: Option<String>,
    /// The value after a change; null if nothing was changed.
    after: Option<String>,
}

/// A page of the audit log.
#[derive(Debug, Serialize, JsonSchema)]
pub struct AuditEntries {
    /// The entries, newest first.
    pub entries: Vec<AuditEntry>,
    /// The `before` of the next page; null if this is the last one. A page may be empty although
    /// more follow.
    pub before: Option<String>,
}

/// Builds the JSON of an act.
pub fn audit_entry(listed: &ListedAct) -> AuditEntry {
    let act = listed.act.deed.act();
    let entry = AuditEntry {
        id: listed.id.to_string(),
        at: listed.act.at.seconds(),
        act: act.name(),
        by: listed.by.as_ref().map(person),
        machine: None,
        from: None,
        target: listed.target.as_ref().map(person),
        group_id: act.group().map(Into::into),
        reason: None,
        before: None,
        after: None,
    };
    match &listed.act.deed {
        Deed::FromAccount(deed) => AuditEntry {
            from: deed.from.as_ref().map(|from| from.as_str().to_owned()),
            reason: Some(deed.reason.clone()),
            before: deed.before.clone(),
            after: deed.after.clone(),
            ..entry
        },
        Deed::OnMachine { by, .. } => AuditEntry { machine: Some(by.as_str().to_owned()), ..entry },
    }
}

/// A recovery link.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RecoveryLink {
    /// The link, valid for 24 hours; only this response shows it.
    pub url: String,
}

/// Reads the query of a list.
///
/// # Errors
/// If a parameter is invalid; all problems are reported together.
pub fn read_list(query: &Map<String, Value>) -> Result<ListQuery, Problems> {
    let mut problems = Problems::default();
    let mut fields = Fields::of(query, &mut problems);
    let text = fields.parsed("q", |text| at_most(text, QUERY_CHARS));
    let before = read_before(&mut fields);
    let limit = fields.page_size("limit", PAGE, LONGEST_PAGE);
    problems.or(Some(ListQuery { text, before, limit }))
}

fn read_before(fields: &mut Fields<'_>) -> Option<u64> {
    let text = fields.name("before")?;
    fields.checked("before", text.parse().map_err(|_| "must be the before of a page"))
}

/// Reads the query of the audit log.
///
/// # Errors
/// If a parameter is invalid; all problems are reported together.
pub fn read_audit(query: &Map<String, Value>) -> Result<AuditQuery, Problems> {
    let mut problems = Problems::default();
    let mut fields = Fields::of(query, &mut problems);
    let actor = fields.id("actor");
    let act = fields.text("act");
    let target = fields.id("target");
    let since = fields.number("since").and_then(|text| {
        fields.checked("since", text.parse().map_err(|_| "must be a Unix time in seconds"))
    });
    let before = read_before(&mut fields);
    let limit = fields.page_size("limit", PAGE, LONGEST_PAGE);
    problems.or(Some(AuditQuery { actor, act, target, since, before, limit }))
}

/// What operators did to the user, newest first.
#[derive(Debug, Serialize, JsonSchema)]
pub struct OwnActs {
    /// The entries.
    pub entries: Vec<OwnAct>,
    /// The `before` of the next page; null at the end.
    pub before: Option<String>,
}

/// Something that an operator did to the user.
#[derive(Debug, Serialize, JsonSchema)]
pub struct OwnAct {
    /// The entry's id.
    id: String,
    /// When it was done. Unix time in seconds.
    at: u64,
    /// The act, such as `user_disabled`.
    act: &'static str,
    /// The operator; null if it was done on the machine of the server.
    by: Option<NamedPerson>,
    /// Why, as the operator wrote it; null for acts on the machine.
    reason: Option<String>,
}

/// Builds the JSON of an act for the user to whom it was done.
pub fn own_act(listed: &ListedAct) -> OwnAct {
    let AuditEntry { id, at, act, by, reason, .. } = audit_entry(listed);
    OwnAct { id, at, act, by, reason }
}

/// Reads the query of `GET /auth/audit` of this user.
///
/// # Errors
/// If a field is invalid; all problems are reported together.
pub fn read_own_acts(query: &Map<String, Value>, user: UserId) -> Result<AuditQuery, Problems> {
    let mut problems = Problems::default();
    let mut fields = Fields::of(query, &mut problems);
    let before = read_before(&mut fields);
    let limit = fields.page_size("limit", PAGE, LONGEST_PAGE);
    let target = Some(user);
    problems.or(Some(AuditQuery { actor: None, act: None, target, since: None, before, limit }))
}

/// Reads the reason of an act.
///
/// # Errors
/// If it is missing or too long.
pub fn read_reason(body: &Map<String, Value>) -> Result<String, Problems> {
    let mut problems = Problems::default();
    let reason = reason(&mut Fields::of(body, &mut problems));
    problems.or(reason)
}

/// Reads a reason from the fields of a body.
pub fn reason(fields: &mut Fields<'_>) -> Option<String> {
    fields.required("reason", |text| {
        let text = at_most(text.trim().to_owned(), REASON_CHARS).map_err(|it| it.to_string())?;
        if text.is_empty() { Err("is required".to_owned()) } else { Ok(text) }
    })
}

/// Reads the body of a change of a role: the role, and the reason.
///
/// # Errors
/// If fields are missing or invalid; all problems are reported together.
pub fn read_role(body: &Map<String, Value>) -> Result<(Option<OperatorRole>, String), Problems> {
    let mut problems = Problems::default();
    let mut fields = Fields::of(body, &mut problems);
    let role = if fields.is_null("role") {
        Some(None)
    } else {
        let named = |text: String| {
            OperatorRole::named(&text).ok_or("must be admin, moderator, auditor or null")
        };
        fields.required("role", named).map(Some)
    };
    let reason = reason(&mut fields);
    problems.or(role.zip(reason))
}

/// Reads the body of a change of a kind: `member`, the only kind that operators give, and the reason.
///
/// # Errors
/// If fields are missing or invalid; all problems are reported together.
pub fn read_kind(body: &Map<String, Value>) -> Result<String, Problems> {
    let mut problems = Problems::default();
    let mut fields = Fields::of(body, &mut problems);
    let member = AccountKind::Member.as_str();
    let named = |text: String| (text == member).then_some(()).ok_or("must be member");
    let kind = fields.required("kind", named);
    let reason = reason(&mut fields);
    problems.or(kind.and(reason))
}

/// A setting and where its value comes from.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SettingResource {
    /// The value; null if there is none.
    value: Option<String>,
    /// Where it comes from: `option`, `environment`, `setting` or `default`. Only the last two can
    /// be changed.
    source: &'static str,
}

/// The settings of the installation.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SettingsResource {
    /// The name of the place.
    name: SettingResource,
    /// Words of greeting for people who are not logged in.
    greeting: SettingResource,
    /// Whom people ask for help.
    contact: SettingResource,
    /// Who may register: `open`, `closed`, `domain`, `approval` or `invite`.
    registration: SettingResource,
    /// Who may log in with a password: `on` (everybody), `operators` or `off`.
    password_login: SettingResource,
    /// Whether there is a directory of searchable groups: `on` or `off`.
    directory: SettingResource,
    /// Whether links make guests: `on` or `off`.
    guests: SettingResource,
    /// Whether mails about missed messages quote them: `on` or `off`.
    mail_shows_text: SettingResource,
    /// Who must have a second factor: `optional` (nobody), `operators` or `everyone`.
    second_factor: SettingResource,
    /// From whom people take the first direct message who made no choice: `everyone`,
    /// `shared_groups`, `requests` or `nobody`.
    dm_from: SettingResource,
}

/// Who may register.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RegistrationResource {
    /// `open`: everybody. `closed`: nobody, operators create accounts. `domain`: who confirms an
    /// address of one of the `domains`. `approval`: whom operators approve.
    /// `invite`: who comes with an invitation of the operators, or with a link of a group.
    mode: &'static str,
    /// Where it comes from: `option`, `environment`, `setting` or `default`. Only the last two can
    /// be changed.
    source: &'static str,
    /// The domains of the mode `domain`, also while another one is set.
    domains: Vec<String>,
    /// Whether people who are not logged in see the domains.
    show_domains: bool,
}

/// Builds the JSON of the settings.
pub fn settings(settings: SettingsInEffect) -> SettingsResource {
    let SettingsInEffect {
        name,
        greeting,
        contact,
        sign_up,
        password_login,
        directory,
        guests,
        mail_shows_text,
        domains: _,
        second_factor,
        dm_from,
    } = settings;
    let on_or_off = |setting: SourcedValue<bool>| SettingResource {
        value: Some(switch(setting.value).to_owned()),
        source: setting.source.as_str(),
    };
    let resource = |setting: SourcedValue<Option<String>>| SettingResource {
        value: setting.value,
        source: setting.source.as_str(),
    };
    SettingsResource {
        name: resource(name),
        greeting: resource(greeting),
        contact: resource(contact),
        registration: SettingResource {
            value: Some(sign_up.value.as_str().to_owned()),
            source: sign_up.source.as_str(),
        },
        password_login: SettingResource {
            value: Some(password_login.value.as_str().to_owned()),
            source: password_login.source.as_str(),
        },
        directory: on_or_off(directory),
        guests: on_or_off(guests),
        mail_shows_text: on_or_off(mail_shows_text),
        second_factor: SettingResource {
            value: Some(second_factor.value.of.as_str().to_owned()),
            source: second_factor.source.as_str(),
        },
        dm_from: SettingResource {
            value: Some(dm_from.value.as_str().to_owned()),
            source: dm_from.source.as_str(),
        },
    }
}

/// Builds the JSON of the registration.
pub fn registration(settings: &SettingsInEffect) -> RegistrationResource {
    let SourcedValue { value, source } = &settings.sign_up;
    RegistrationResource {
        mode: value.as_str(),
        source: source.as_str(),
        domains: settings.domains.names().to_vec(),
        show_domains: settings.domains.are_shown,
    }
}

/// The settings that one change may name.
const TEXTS: [&str; 9] = [
    "name",
    "greeting",
    "contact",
    "password_login",
    "directory",
    "guests",
    "mail_shows_text",
    "second_factor",
    "dm_from",
];

/// Reads the body of a change of settings: the settings that it names, and the reason.
///
/// # Errors
/// If a field is invalid, nothing is to be changed, or the reason is missing.
pub fn read_settings(body: &Map<String, Value>) -> Result<(Vec<NewSetting>, String), Problems> {
    let mut problems = Problems::default();
    let mut fields = Fields::of(body, &mut problems);
    let line = |limit| {
        move |text: String| LineText::parse(text.trim().to_owned(), limit).map(String::from)
    };
    let lines = |text: String| parse_lines(text.trim().to_owned(), GREETING_CHARS);
    let name = removable(&mut fields, "name", line(PLACE_NAME_CHARS));
    let greeting = removable(&mut fields, "greeting", lines);
    let contact = removable(&mut fields, "contact", line(CONTACT_CHARS));
    let named =
        |text: String| PasswordLogin::named(&text).ok_or("must be on, operators, off or null");
    let password_login = fields.parsed_or_null("password_login", named);
    let named = |text: String| {
        FactorRequirement::named(&text).ok_or("must be optional, operators, everyone or null")
    };
    let second_factor = fields.parsed_or_null("second_factor", named);
    let named = |text: String| {
        DmFrom::named(&text).ok_or("must be everyone, shared_groups, requests, nobody or null")
    };
    let dm_from = fields.parsed_or_null("dm_from", named);
    let on_or_off = |text: String| match text.as_str() {
        "on" => Ok(true),
        "off" => Ok(false),
        _ => Err("must be on, off or null"),
    };
    let mut removable_switch = |name| fields.parsed_or_null(name, on_or_off);
    let directory = removable_switch("directory");
    let guests = removable_switch("guests");
    let mail_shows_text = removable_switch("mail_shows_text");
    let new: Vec<NewSetting> = [
        name.map(NewSetting::Name),
        greeting.map(NewSetting::Greeting),
        contact.map(NewSetting::Contact),
        password_login.map(NewSetting::PasswordLogin),
        directory.map(NewSetting::Directory),
        guests.map(NewSetting::Guests),
        mail_shows_text.map(NewSetting::MailShowsText),
        second_factor.map(NewSetting::SecondFactor),
        dm_from.map(NewSetting::DmFrom),
    ]
    .into_iter()
    .flatten()
    .collect();
    if body.contains_key("registration") {
        fields.wrong("registration", "is changed by PUT /v3/admin/registration");
    } else if !TEXTS.into_iter().any(|it| body.contains_key(it)) {
        let last = TEXTS.len() - 1;
        let named = format!("{} or {}", TEXTS[..last].join(", "), TEXTS[last]);
        fields.wrong(&named, "is required");
    }
    let reason = reason(&mut fields);
    problems.or(reason.map(|reason| (new, reason)))
}

/// Reads a setting that `null` or an empty text removes; `None` if it is absent.
fn removable<E: std::fmt::Display>(
    fields: &mut Fields<'_>,
    field: &str,
    parse: impl FnOnce(String) -> Result<String, E>,
) -> Option<Option<String>> {
    if fields.is_null(field) || fields.is_emptied(field) {
        return Some(None);
    }
    fields.parsed(field, parse).map(Some)
}

/// A change of who may register.
#[derive(Debug)]
pub struct RegistrationChange {
    /// The mode; `None` for the default.
    pub mode: Option<SignUp>,
    /// The domains; `None` if they stay as they are.
    pub domains: Option<RegistrationDomains>,
    /// The reason, for the audit log.
    pub reason: String,
}

/// Reads the body of a change of the registration.
///
/// # Errors
/// If a field is missing or invalid.
pub fn read_registration(body: &Map<String, Value>) -> Result<RegistrationChange, Problems> {
    let mut problems = Problems::default();
    let mut fields = Fields::of(body, &mut problems);
    let mode = if fields.is_null("mode") {
        Some(None)
    } else {
        let named = |text: String| {
            SignUp::named(&text).ok_or("must be open, closed, domain, approval, invite or null")
        };
        fields.required("mode", named).map(Some)
    };
    let are_shown = fields.flag("show_domains").unwrap_or_default();
    let domains = match fields.value("domains") {
        None | Some(Value::Null) => None,
        Some(Value::Array(typed)) => {
            let typed = typed.iter().map(|it| it.as_str().unwrap_or_default());
            let domains = RegistrationDomains::parse(typed, are_shown);
            domains.map_err(|refusal| fields.wrong("domains", refusal)).ok()
        }
        Some(_) => {
            fields.wrong("domains", DomainsRefusal::Form);
            None
        }
    };
    let reason = reason(&mut fields);
    problems.or(mode.zip(reason).map(|(mode, reason)| RegistrationChange { mode, domains, reason }))
}
