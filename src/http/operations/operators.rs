//! `/v3/admin`: administration from accounts.

use crate::http::operation::Operation;
use domain::limits::QUERY_CHARS;
use wire::account_invitations::{self, AccountInvites, MadeAccountInvite};
use wire::account_requests::{self, AccountRequests};
use wire::mails::{self, AdminMails, SentTestMail};
use wire::operator_reports::{ListedReports, OperatorReportResource, resolution_body};
use wire::operators::{
    AdminGroup, AdminGroups, AdminUser, AdminUsers, AuditEntries, LONGEST_PAGE, OwnActs, PAGE,
    RecoveryLink, RegistrationResource, ServerVersion, SettingsResource,
};
use wire::reports::ShortReport;
use wire::rules::{MatchingRules, RuleList, SavedRule};
use wire::schema::{bodies, id, moderation_bodies, nothing, of, text, words};

use super::least_one;

const TAG: &str = "admin";
const NO_OPERATOR: &str = "You are no operator, or the token belongs to an application.";
const NO_USER: &str =
    "You are no operator, the token belongs to an application, or there is no such user.";
const NO_MAIL: &str = "The server sends no mail: --smtp-url and --mail-from are not set.";
const NO_RULE: &str =
    "You are no operator, the token belongs to an application, or there is no such rule.";
const RULE_FIELDS: &str = "Fields are missing, too long or too many; the text names each.";
const MAY_NOT: &str = "Your role does not allow this, or not to an operator.";
const LAST_ADMIN: &str = "The account is the last admin who can log in.";

fn admin(summary: &'static str) -> Operation {
    Operation::of(TAG, summary).refuses(404, NO_OPERATOR)
}

fn listing(summary: &'static str, what: &str) -> Operation {
    admin(summary)
        .query("q", words(what, QUERY_CHARS))
        .query("before", id("Only entries before this one: the `before` of a page."))
        .query(
            "limit",
            least_one("Maximum number of entries.", PAGE as u64, Some(LONGEST_PAGE as u64)),
        )
}

/// An act to an account, which needs a reason.
fn act(summary: &'static str) -> Operation {
    admin(summary)
        .body(bodies::reasoned())
        .gives(200, of::<AdminUser>())
        .refuses(403, MAY_NOT)
        .refuses(404, NO_USER)
}

pub(in crate::http) fn version() -> Operation {
    admin("Shows the version of the server, and your role").gives(200, of::<ServerVersion>())
}

pub(in crate::http) fn users() -> Operation {
    listing("Lists accounts, newest first", "Text in the name or the email address, or an id.")
        .gives(200, of::<AdminUsers>())
}

pub(in crate::http) fn user() -> Operation {
    admin("Shows an account").gives(200, of::<AdminUser>()).refuses(404, NO_USER)
}

pub(in crate::http) fn disable() -> Operation {
    act("Disables an account: it cannot log in, its tokens end, and its sockets close")
        .refuses(409, LAST_ADMIN)
}

pub(in crate::http) fn enable() -> Operation {
    act("Enables a disabled account; its former tokens stay revoked")
}

pub(in crate::http) fn logout() -> Operation {
    act("Revokes every token of an account, and closes its sockets")
}

pub(in crate::http) fn recover() -> Operation {
    admin("Makes a link with which the user sets a new password")
        .detail(
            "The link is valid for 24 hours. Takes no `Idempotency-Key`: the link is shown once, \
             and a repeated request makes another one.",
        )
        .body(bodies::reasoned())
        .gives(200, of::<RecoveryLink>())
        .refuses(403, "Your role does not allow this, or the account is disabled.")
        .refuses(404, NO_USER)
}

pub(in crate::http) fn set_role() -> Operation {
    admin("Gives an account the role of an operator, or takes it")
        .body(bodies::operator_role())
        .gives(200, of::<AdminUser>())
        .refuses(403, MAY_NOT)
        .refuses(404, NO_USER)
        .refuses(409, LAST_ADMIN)
}

pub(in crate::http) fn set_kind() -> Operation {
    admin("Makes a member of a guest")
        .detail("The account no longer ends by itself; its present tokens do.")
        .body(bodies::account_kind())
        .gives(200, of::<AdminUser>())
        .refuses(403, MAY_NOT)
        .refuses(404, NO_USER)
}

pub(in crate::http) fn requests() -> Operation {
    admin("Lists people who ask for an account, the first one first")
        .detail("At most 100 a page. They register in the mode `approval`.")
        .query("after", id("Only requests after this one: the id of the user of the last one."))
        .gives(200, of::<AccountRequests>())
}

pub(in crate::http) fn decide_request() -> Operation {
    admin("Approves somebody who asks for an account, or refuses them")
        .detail(
            "After `approve` they can log in; a mail tells them so if the server sends mail. `refuse` \
             deletes the account, which nobody could use, so that its address is free again; nobody is told.",
        )
        .body(account_requests::decision_body())
        .gives(200, nothing())
        .refuses(403, NO_CHANGE)
        .refuses(404, "You are no operator, or the account does not wait for an approval any more.")
}

pub(in crate::http) fn invites() -> Operation {
    admin("Lists the invites with which people register, the newest first")
        .detail("Some that cannot be used any more are among them.")
        .gives(200, of::<AccountInvites>())
}

pub(in crate::http) fn make_invite() -> Operation {
    admin("Makes an invite with which people register")
        .detail(
            "Its `url` is the `invite` of `POST /auth/register`, and a page with the form. It makes an \
             account at once, in every mode, also where registration is closed. There are at most 500 \
             that can be used.",
        )
        .body(account_invitations::new_invite_body())
        .gives(201, of::<MadeAccountInvite>())
        .refuses(403, NO_CHANGE)
        .refuses(409, "There are too many invites that can be used.")
}

pub(in crate::http) fn end_invite() -> Operation {
    admin("Ends an invite")
        .detail("Accounts that were made with it stay.")
        .body(bodies::reasoned())
        .gives(200, nothing())
        .refuses(403, NO_CHANGE)
        .refuses(404, "You are no operator, or there is no such invite, or it was ended before.")
}

pub(in crate::http) fn mails() -> Operation {
    admin("Lists the mails that wait and those that the server gave up, newest first")
        .detail(
            "Without their texts and links. Dead mails are listed for a week. `kind` says what a mail is about: \
             `recovery` has a link for a new password, `confirmation` one that confirms an address, \
             `missed` is about unread messages, `group_invite` invites somebody to a group, \
             `already_registered` and `approved` are about registrations, the others tell of a change of the account.",
        )
        .query("state", text("Only mails that are `waiting` or `dead`."))
        .query("before", text("Only mails after this one in the list: the `before` of a page."))
        .query(
            "limit",
            least_one("Maximum number of entries.", PAGE as u64, Some(LONGEST_PAGE as u64)),
        )
        .gives(200, of::<AdminMails>())
        .refuses(403, NO_CHANGE)
}

pub(in crate::http) fn test_mail() -> Operation {
    admin("Sends a test mail at once")
        .detail(
            "The response waits for the mail server, at most a minute. Takes no `Idempotency-Key`: each \
             request sends a mail. The audit log shows the address and the outcome.",
        )
        .body(mails::test_body())
        .gives(200, of::<SentTestMail>())
        .refuses(403, NO_CHANGE)
        .refuses(409, NO_MAIL)
        .refuses(429, "Too many test mails: ten an hour are allowed.")
        .refuses(502, "The mail server cannot be reached or refused the mail; the text says why.")
}

pub(in crate::http) fn retry_mail() -> Operation {
    admin("Sends a waiting or dead mail again at once")
        .detail(
            "The mail is due at once, and the schedule of attempts begins again. Its link is a new one, \
             which is valid as usual.",
        )
        .body(bodies::reasoned())
        .gives(200, nothing())
        .refuses(403, NO_CHANGE)
        .refuses(404, "You are no operator, or no such mail waits or was given up in the last week.")
        .refuses(409, "The account is disabled, or the server sends no mail.")
        .refuses(410, "The link or the invite in it has ended, or nobody needs the mail any more.")
}

pub(in crate::http) fn groups() -> Operation {
    listing("Lists groups, newest first", "Text in the name, or an id.")
        .gives(200, of::<AdminGroups>())
}

pub(in crate::http) fn group() -> Operation {
    admin("Shows a group, without what is written there")
        .gives(200, of::<AdminGroup>())
        .refuses(404, "You are no operator, or there is no such group.")
}

fn on_group(summary: &'static str) -> Operation {
    admin(summary)
        .body(bodies::reasoned())
        .refuses(403, NO_CHANGE)
        .refuses(404, "You are no operator, or there is no such group.")
}

pub(in crate::http) fn freeze_group() -> Operation {
    on_group("Freezes a group")
        .detail(
            "Nobody can write there; members read why. The owner and admins can still remove, ban \
             and time out members, delete messages and decide reports.",
        )
        .gives(200, of::<AdminGroup>())
        .refuses(409, "The group is frozen already.")
}

pub(in crate::http) fn unfreeze_group() -> Operation {
    on_group("Ends the freeze of a group")
        .gives(200, of::<AdminGroup>())
        .refuses(409, "The group is not frozen.")
}

pub(in crate::http) fn unlist_group() -> Operation {
    on_group("Takes a group out of the directory of groups")
        .gives(200, of::<AdminGroup>())
        .refuses(409, "The group is not in the directory.")
}

pub(in crate::http) fn disband_group() -> Operation {
    on_group("Disbands a group")
        .detail("It is gone for its members at once, and cannot be brought back.")
        .gives(200, nothing())
}

pub(in crate::http) fn audit() -> Operation {
    admin("Lists what operators did, newest first")
        .detail("A moderator sees their own acts.")
        .query("actor", id("Only acts of this operator."))
        .query("act", text("Only acts with this name, such as `user_disabled`."))
        .query("target", id("Only acts to this user."))
        .query("since", id("Only acts from this Unix time in seconds on."))
        .query("before", id("Only entries before this one: the `before` of a page."))
        .query(
            "limit",
            least_one("Maximum number of entries.", PAGE as u64, Some(LONGEST_PAGE as u64)),
        )
        .gives(200, of::<AuditEntries>())
}

pub(in crate::http) fn reports() -> Operation {
    admin("Lists what people reported to the operators, the newest first")
        .detail(
            "Messages of chats and of owners of groups, users, groups, and what admins of groups pass on. \
             The list names nobody who reported, and has nothing that people wrote. At most 20 a page. \
             Resolved reports are kept for 90 days.",
        )
        .query("state", text("`open`, the default, or `resolved`."))
        .query("subject", text("Only reports of a `message`, a `user` or a `group`."))
        .query("about", id("Only reports about this user."))
        .query("before", id("Only reports before this one: the `before` of a page."))
        .gives(200, of::<ListedReports<'_>>())
}

pub(in crate::http) fn report() -> Operation {
    admin("Shows a report with the copy of its message, and who reported it")
        .detail("Admins and moderators read it; each reading is written to the audit log.")
        .gives(200, of::<OperatorReportResource<'_>>())
        .refuses(403, "Your role does not allow this, or the report is about you.")
        .refuses(404, "You are no operator, or there is no such report.")
}

pub(in crate::http) fn resolve_report() -> Operation {
    admin("Resolves a report")
        .detail(
            "`dismiss` if nothing is wrong, `note` if you acted otherwise, `delete` to delete the message, \
             `disable` to disable the account that it is about. Those who reported it receive \
             `report.resolved`.",
        )
        .body(resolution_body())
        .gives(200, of::<ShortReport>())
        .refuses(400, "There is no message to delete, or no account to disable.")
        .refuses(403, "Your role does not allow this, or the report is about you.")
        .refuses(404, "You are no operator, or there is no such report.")
        .refuses(409, "It is resolved already, or the account is the last admin who can log in.")
}

pub(in crate::http) fn rules() -> Operation {
    admin("Lists the rules of the operators, the oldest first")
        .detail(
            "The server runs them on every text that people and bots write in groups, before the rules of the \
             group, and never on those of operators and their bots. In chats, those run that `refuse`, except \
             for `repeat`, `flood` and `newcomers`. What a rule holds, reports or answers with a timeout is \
             decided by the owner and admins of the group; what its owner writes is refused or posted.",
        )
        .gives(200, of::<RuleList<'_>>())
        .refuses(403, NO_CHANGE)
}

pub(in crate::http) fn create_rule() -> Operation {
    admin("Makes a rule of the operators")
        .detail("At most 20. It is in force in every room when the request is answered.")
        .body(moderation_bodies::operators_rule())
        .gives(201, of::<SavedRule<'_>>())
        .refuses(400, RULE_FIELDS)
        .refuses(403, NO_CHANGE)
}

pub(in crate::http) fn replace_rule() -> Operation {
    admin("Replaces what a rule of the operators says")
        .detail("Fields that are left out get their usual values.")
        .body(moderation_bodies::operators_rule())
        .gives(200, of::<SavedRule<'_>>())
        .refuses(400, RULE_FIELDS)
        .refuses(403, NO_CHANGE)
        .refuses(404, NO_RULE)
}

pub(in crate::http) fn delete_rule() -> Operation {
    admin("Deletes a rule of the operators")
        .body(bodies::reasoned())
        .gives(200, nothing())
        .refuses(403, NO_CHANGE)
        .refuses(404, NO_RULE)
}

pub(in crate::http) fn test_rules() -> Operation {
    admin("Tries the rules of the operators on a text")
        .detail(
            "Shows which rules the text alone matches by words, patterns or links, also those that \
             are switched off. Nothing is posted, and nothing is written to the audit log.",
        )
        .body(moderation_bodies::rule_test())
        .gives(200, of::<MatchingRules<'_>>())
        .refuses(400, "The text is missing or too long.")
        .refuses(403, NO_CHANGE)
}

pub(in crate::http) fn own_acts() -> Operation {
    Operation::of("Accounts", "Lists what operators did to you, newest first")
        .query("before", id("Only entries before this one: the `before` of a page."))
        .query(
            "limit",
            least_one("Maximum number of entries.", PAGE as u64, Some(LONGEST_PAGE as u64)),
        )
        .gives(200, of::<OwnActs>())
        .refuses(403, "The token belongs to an application.")
}

const NO_CHANGE: &str = "Your role does not allow this.";
const FIXED_OR_LOCKED: &str = "An option or the environment of the server fixes the setting, or no \
                               provider is configured with which people could log in.";

pub(in crate::http) fn settings() -> Operation {
    admin("Shows the settings, and where each value comes from")
        .gives(200, of::<SettingsResource>())
        .refuses(403, NO_CHANGE)
}

pub(in crate::http) fn change_settings() -> Operation {
    admin("Changes the settings that the body names")
        .detail("Null removes a setting. They apply at once, on every node.")
        .body(bodies::settings())
        .gives(200, of::<SettingsResource>())
        .refuses(403, NO_CHANGE)
        .refuses(409, FIXED_OR_LOCKED)
}

pub(in crate::http) fn registration() -> Operation {
    admin("Shows who may register").gives(200, of::<RegistrationResource>()).refuses(403, NO_CHANGE)
}

pub(in crate::http) fn change_registration() -> Operation {
    admin("Changes who may register")
        .detail(
            "The mode `domain` needs `domains`, now or from before, and a server that sends mail. \
             Other modes keep the domains. In the mode `approval`, operators decide who gets an account \
             (`/v3/admin/requests`). In the mode `invite`, everyone who comes with an invite of the operators \
             (`/v3/admin/invites`) or with a link of a group gets one.",
        )
        .body(bodies::registration_mode())
        .gives(200, of::<RegistrationResource>())
        .refuses(403, NO_CHANGE)
        .refuses(409, "An option fixes who may register, or the mode `domain` lacks mail.")
}
