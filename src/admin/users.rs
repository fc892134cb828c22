//! Accounts, as operators manage them.

use std::sync::Arc;

use serde_json::Value;

use crate::admin::protocol::{AccountView, AdminResult, NewUser, USERS_AT_ONCE};
use crate::admin::{AdminError, Administration};
use ::wire::instance::Instance;
use ::wire::user as wire;
use actors::ask::AuditNote;
use actors::names::TakeFailure;
use actors::user::factors::ResetFactors;
use actors::user::mail::MakeRecoveryLink;
use actors::user::protocol::{Disable, Enable, Register, ResetPassword, SetOperatorRole};
use auth::access_token::AccessToken;
use auth::accounts::FoundAccount;
use base::random::random;
use domain::audit::{AdminAct, AuditFact, Operator};
use domain::ids::{MailId, UserId};
use domain::mail::{MailLanguage, MailNote};
use domain::operators::OperatorRole;
use domain::user::User;

impl Administration {
    /// Creates an account without a token, also while registration is closed.
    pub(super) async fn add_user(
        &self,
        wanted: &NewUser,
        by: Operator,
    ) -> Result<AdminResult, AdminError> {
        // The same parser as for registration: it reports every problem at once.
        let Ok(Value::Object(fields)) = serde_json::to_value(wanted) else {
            return Err(AdminError::Fault("the account cannot be read".to_owned()));
        };
        let operator = wanted.operator.as_deref().map(read_role).transpose()?;
        let wanted = wire::read_registration(&fields)?;
        let taken =
            || AdminError::Refused("email or phone number belongs to another account".into());
        let context = self.directory.context();
        if context.accounts.is_contact_taken(&wanted.profile).await? {
            return Err(taken());
        }
        let password = self.passwords.hash(wanted.password).await?;
        let id = context.id_generator.user();
        let profile = wanted.profile.clone();
        let names = wanted.profile.contacts().collect();
        let note = move |act| AuditFact::Administered { by: by.clone(), act };
        let audit: AuditNote<Arc<User>> = Box::new(move |user| {
            let user = user.id;
            let role = operator.map(|role| AdminAct::RoleSet { user, role: Some(role) });
            std::iter::once(AdminAct::UserAdded { user }).chain(role).map(&note).collect()
        });
        let register = async |until| {
            let register = Register {
                until,
                profile,
                password,
                token: None,
                note: None,
                operator,
                identity: None,
                provisioning: None,
                waiting: None,
            };
            self.directory.ask_audited(id, register, audit).await
        };
        self.names.take(id, names, register).await.map_err(|failure| match failure {
            TakeFailure::Taken => taken(),
            TakeFailure::Act(failure) => failure.into(),
            TakeFailure::Fault(fault) => fault.into(),
        })?;
        self.account_result(id).await
    }

    /// Lists accounts in the order of their ids.
    pub(super) async fn list_users(&self, after: Option<u64>) -> Result<AdminResult, AdminError> {
        let after = UserId::new(after.unwrap_or_default());
        let accounts = &self.directory.context().accounts;
        let mut found = accounts.users_after(after, USERS_AT_ONCE + 1).await?;
        let more = found.len() > USERS_AT_ONCE;
        found.truncate(USERS_AT_ONCE);
        Ok(AdminResult::Users { users: found.into_iter().map(shown).collect(), more })
    }

    /// Disables an account: its tokens stop working, also on open sockets.
    pub(super) async fn disable_user(
        &self,
        who: &str,
        by: Operator,
    ) -> Result<AdminResult, AdminError> {
        let user = self.find_user(who).await?;
        self.directory
            .ask_audited(user, Disable, audits(by, AdminAct::UserDisabled { user }))
            .await?;
        self.account_result(user).await
    }

    /// Enables a disabled account again.
    pub(super) async fn enable_user(
        &self,
        who: &str,
        by: Operator,
    ) -> Result<AdminResult, AdminError> {
        let user = self.find_user(who).await?;
        self.directory
            .ask_audited(user, Enable, audits(by, AdminAct::UserEnabled { user }))
            .await?;
        self.account_result(user).await
    }

    /// Gives an account the role of an operator, or takes it. The machine's account may take the
    /// last admin, too.
    pub(super) async fn set_role(
        &self,
        who: &str,
        role: Option<&str>,
        by: Operator,
    ) -> Result<AdminResult, AdminError> {
        let role = role.map(read_role).transpose()?;
        let user = self.find_user(who).await?;
        self.directory
            .ask_audited(
                user,
                SetOperatorRole { role },
                audits(by, AdminAct::RoleSet { user, role }),
            )
            .await?;
        self.account_result(user).await
    }

    /// Sets a new password for an account.
    pub(super) async fn reset_password(
        &self,
        who: &str,
        password: String,
        by: Operator,
    ) -> Result<AdminResult, AdminError> {
        let user = self.find_user(who).await?;
        let password = self.passwords.hash(wire::check_new_password(password)?).await?;
        let note = self.mail_note();
        self.directory
            .ask_audited(
                user,
                ResetPassword { password, note },
                audits(by, AdminAct::PasswordReset { user }),
            )
            .await?;
        self.account_result(user).await
    }

    /// The mail that tells a user of an operator's act; `None` if the server sends none.
    fn mail_note(&self) -> Option<MailNote> {
        self.mails.as_ref().map(|_| {
            let id = MailId::new(u64::from_be_bytes(random()));
            MailNote { id, language: MailLanguage::default() }
        })
    }

    /// Removes the second factor and all passkeys of an account, and tells its user by mail.
    pub(super) async fn reset_factors(
        &self,
        who: &str,
        by: Operator,
    ) -> Result<AdminResult, AdminError> {
        let user = self.find_user(who).await?;
        self.directory
            .ask_audited(
                user,
                ResetFactors { note: self.mail_note() },
                audits(by, AdminAct::FactorsReset { user }),
            )
            .await?;
        self.account_result(user).await
    }

    /// Makes a recovery link, and returns its path.
    pub(super) async fn make_recovery_link(
        &self,
        who: &str,
        by: Operator,
    ) -> Result<String, AdminError> {
        let user = self.find_user(who).await?;
        let secret = AccessToken::fresh();
        let link = MakeRecoveryLink { hash: secret.link_hash() };
        let audit = audits(by, AdminAct::RecoveryLinkMade { user });
        self.directory.ask_audited(user, link, audit).await?;
        Ok(Instance::link_path("recover", user, secret.reveal()))
    }

    /// The user that an operator names by id or email address.
    async fn find_user(&self, who: &str) -> Result<UserId, AdminError> {
        let unknown = || AdminError::Refused(format!("there is no user {who}"));
        let accounts = &self.directory.context().accounts;
        if let Ok(id) = who.parse::<UserId>() {
            return accounts.account(id).await?.map(|_| id).ok_or_else(unknown);
        }
        accounts.by_typed_email(who).await?.map(|(id, _)| id).ok_or_else(unknown)
    }

    async fn account_result(&self, id: UserId) -> Result<AdminResult, AdminError> {
        let before = UserId::new(id.get().saturating_sub(1));
        let mut found = self.directory.context().accounts.users_after(before, 1).await?;
        let found = found.pop().filter(|found| found.id == id);
        let found = found.ok_or_else(|| AdminError::Fault(format!("user {id} cannot be read")))?;
        Ok(AdminResult::User(shown(found)))
    }
}

fn read_role(name: &str) -> Result<OperatorRole, AdminError> {
    let unknown =
        || AdminError::Refused(format!("there is no role {name}; use admin, moderator or auditor"));
    OperatorRole::named(name).ok_or_else(unknown)
}

fn shown(found: FoundAccount) -> AccountView {
    let FoundAccount { id, row, tokens } = found;
    AccountView {
        id: id.to_string(),
        name: row.profile.name.as_str().to_owned(),
        email: row.profile.email.as_str().to_owned(),
        phone_number: row.profile.phone.map(|phone| phone.as_str().to_owned()),
        created_at: row.created_at.seconds(),
        disabled_at: row.disabled_at.or(row.provisioning.deactivated_at).map(|at| at.seconds()),
        tokens,
        operator: row.operator.map(|role| role.as_str().to_owned()),
    }
}

/// The entry of the audit log for an act on the machine, which goes into the commit of its decision.
pub(super) fn audits<T: 'static>(by: Operator, act: AdminAct) -> AuditNote<T> {
    let fact = AuditFact::Administered { by, act };
    Box::new(move |_| vec![fact.clone()])
}
