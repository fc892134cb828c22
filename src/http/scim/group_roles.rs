//! Changes of the groups of a directory, and the roles that mapped groups give their members; and
//! `/v3/admin/directory_groups`, where an admin maps them.
//!
//! Roles that end are taken before the group changes, and new ones are given after it. An interrupted
//! request leaves nobody with a role that no group gives, and the directory repeats it.

use std::collections::{BTreeSet, HashMap};

use actix_web::http::StatusCode;
use actix_web::web;

use super::ScimFailure;
use crate::http::app_state::AppState;
use crate::http::body::Body;
use crate::http::caller::LoggedIn;
use crate::http::error::ApiError;
use crate::http::fresh;
use crate::http::operators::OperatorCaller;
use crate::http::reply::{self, Answer};
use ::wire::directory_groups as wire;
use actors::ask::AuditNote;
use actors::directory::rooms::InstanceId;
use actors::instance::ChangeDirectoryGroup;
use actors::user::protocol::SetOperatorRole;
use auth::scim::{DirectoryMembership, GroupFilter};
use domain::audit::{AdminAct, AuditedGroupAct};
use domain::directory_groups::changes::{
    ChangedDirectoryGroup, DirectoryGroupAct, DirectoryGroupRefusal, MemberStep,
    WantedDirectoryGroup,
};
use domain::directory_groups::{DirectoryGroupSet, ProvisionedGroup, highest, role_after};
use domain::ids::{DirectoryGroupId, UserId};
use domain::limits::DIRECTORY_GROUPS;
use domain::operators::{OperatorAct, OperatorRefusal, OperatorRole, name_of};

/// Why a group was changed, in the audit log.
pub(super) const REASON: &str = "by the directory (SCIM)";

/// A request that changes groups of a directory. It has the directory's turn.
pub(super) struct DirectoryWriter<'a> {
    pub(super) app: &'a AppState,
    pub(super) operator: &'a OperatorCaller,
    /// Whether the directory writes, not an admin who maps a group.
    pub(super) is_directory: bool,
    /// Why, for the audit log.
    pub(super) reason: &'a str,
}

/// A role that a user gets or loses.
struct RoleChange {
    user: UserId,
    former: Option<OperatorRole>,
    role: Option<OperatorRole>,
}

impl RoleChange {
    fn takes_admin(&self) -> bool {
        self.former == Some(OperatorRole::Admin)
    }

    /// Whether the change lowers the role: groups never replace a role by an equal one.
    fn is_loss(&self) -> bool {
        highest([self.former, self.role]) == self.former
    }
}

impl From<DirectoryGroupRefusal> for ApiError {
    fn from(refusal: DirectoryGroupRefusal) -> Self {
        let status = match refusal {
            DirectoryGroupRefusal::Unknown => StatusCode::NOT_FOUND,
            DirectoryGroupRefusal::TooManyGroups | DirectoryGroupRefusal::TooManyMembers => {
                StatusCode::BAD_REQUEST
            }
        };
        Self::new(status, refusal)
    }
}

impl DirectoryWriter<'_> {
    /// Changes a group, and the roles of its members. Returns the group after it.
    ///
    /// # Errors
    /// If the rules refuse it, or it would take the role of the last admin or of the token's owner.
    pub(super) async fn write(
        &self,
        act: DirectoryGroupAct,
        group: Option<ProvisionedGroup>,
    ) -> Result<Option<ProvisionedGroup>, ScimFailure> {
        let changes = self.role_changes(&act, group).await?;
        let (lost, gained): (Vec<_>, Vec<_>) = changes.into_iter().partition(RoleChange::is_loss);
        self.guard_admins(&lost).await?;
        let named = match &act {
            DirectoryGroupAct::Create(_) => AuditedGroupAct::Created,
            DirectoryGroupAct::Change(..) => AuditedGroupAct::Changed,
            DirectoryGroupAct::Map(..) => AuditedGroupAct::Mapped,
            DirectoryGroupAct::Delete(_) => AuditedGroupAct::Deleted,
        };
        for change in lost {
            self.set_role(change).await?;
        }
        let audit = self.audit_of_group(named);
        let change = ChangeDirectoryGroup(act);
        let changed = self.app.directory.ask_audited(InstanceId, change, audit).await?;
        let after = changed.after;
        for change in gained {
            self.set_role(change).await?;
        }
        Ok(after)
    }

    /// Takes a user out of every group of the directory.
    ///
    /// # Errors
    /// As in [`Self::write`].
    pub(super) async fn leave_all(&self, user: UserId) -> Result<(), ScimFailure> {
        let accounts = &self.app.directory.context().accounts;
        let joined = accounts.joined_directory_groups(vec![user]).await?;
        for joined in joined.into_values().flatten() {
            let Some(group) = accounts.directory_group(joined.id).await? else { continue };
            let members = vec![MemberStep::Remove(vec![user])];
            let wanted = WantedDirectoryGroup { members, ..WantedDirectoryGroup::default() };
            self.write(DirectoryGroupAct::Change(joined.id, wanted), Some(group)).await?;
        }
        Ok(())
    }

    /// The roles that an act on a group changes.
    async fn role_changes(
        &self,
        act: &DirectoryGroupAct,
        group: Option<ProvisionedGroup>,
    ) -> Result<Vec<RoleChange>, ScimFailure> {
        // A new group gives no role.
        let Some(group) = group else { return Ok(Vec::new()) };
        let mut known = DirectoryGroupSet::default();
        known.groups.insert(group.id, group);
        let now = self.app.clock.now().wall;
        let ChangedDirectoryGroup { before, after } = known.decide(now, act.clone())?.answer;
        let role_of = |group: &Option<ProvisionedGroup>| group.as_ref().and_then(|it| it.role);
        if role_of(&before).is_none() && role_of(&after).is_none() {
            return Ok(Vec::new());
        }
        let given = |group: &Option<ProvisionedGroup>, user: UserId| {
            group.as_ref().filter(|it| it.members.contains(&user)).and_then(|it| it.role)
        };
        let members = [&before, &after].into_iter().flatten().flat_map(|it| &it.members);
        let members: BTreeSet<UserId> = members.copied().collect();
        let accounts = &self.app.directory.context().accounts;
        let id = before.as_ref().map(|it| it.id);
        let joined = accounts.joined_directory_groups(members.iter().copied().collect()).await?;
        let elsewhere = |user: UserId, joined: &HashMap<UserId, Vec<DirectoryMembership>>| {
            let others = joined.get(&user).into_iter().flatten().filter(|it| Some(it.id) != id);
            highest(others.map(|it| it.role).collect::<Vec<_>>())
        };
        let mut changes = Vec::new();
        for user in members {
            let other = elsewhere(user, &joined);
            let held = highest([other, given(&before, user)]);
            let due = highest([other, given(&after, user)]);
            let Some(account) = accounts.account(user).await? else { continue };
            let former = account.operator;
            let role = role_after(former, held, due);
            changes.extend(role.map(|role| RoleChange { user, former, role }));
        }
        Ok(changes)
    }

    /// Refuses to take the role of the last admin, and of the owner of the directory's token.
    async fn guard_admins(&self, lost: &[RoleChange]) -> Result<(), ScimFailure> {
        let lost: BTreeSet<UserId> =
            lost.iter().filter(|it| it.takes_admin()).map(|it| it.user).collect();
        if lost.is_empty() {
            return Ok(());
        }
        if self.is_directory && lost.contains(&self.operator.user()) {
            let detail = "the token of the directory belongs to a member who would lose the role \
                          of an admin; make one from another admin's account first";
            return Err(ApiError::new(StatusCode::CONFLICT, detail).into());
        }
        let admins = self.app.directory.context().accounts.admins().await?;
        match admins.iter().all(|admin| lost.contains(admin)) {
            true => Err(OperatorRefusal::LastAdmin.into()),
            false => Ok(()),
        }
    }

    async fn set_role(&self, change: RoleChange) -> Result<(), ScimFailure> {
        let RoleChange { user, role, .. } = change;
        let turn = match change.takes_admin() {
            true => Some(self.app.operators.begin_without(user).await?),
            false => None,
        };
        let change = move |former: &Option<OperatorRole>| {
            Some([*former, role].map(|role| name_of(role).to_owned()).into())
        };
        let reason = self.reason.to_owned();
        let act = AdminAct::RoleSet { user, role };
        let audit = self.operator.audits_change(act, reason, change);
        self.app.directory.ask_audited(user, SetOperatorRole { role }, audit).await?;
        drop(turn);
        Ok(())
    }

    /// The entry of the audit log for a changed group, whose id is known once it is decided.
    fn audit_of_group(&self, act: AuditedGroupAct) -> AuditNote<ChangedDirectoryGroup> {
        self.operator.audits_each(self.reason.to_owned(), move |changed: &ChangedDirectoryGroup| {
            let ChangedDirectoryGroup { before, after } = changed;
            let group = after.as_ref().or(before.as_ref()).filter(|_| before != after)?.id;
            let act = AdminAct::DirectoryGroup { group, act };
            Some((act, text(before.as_ref()), text(after.as_ref())))
        })
    }
}

/// A group, one part on each line, for the audit log.
fn text(group: Option<&ProvisionedGroup>) -> String {
    let Some(group) = group else { return String::new() };
    let lines = [
        Some(format!("name: {}", group.names.name)),
        group.names.external_id.as_ref().map(|id| format!("externalId: {id}")),
        Some(format!("members: {}", group.members.len())),
        Some(format!("role: {}", name_of(group.role))),
    ];
    lines.into_iter().flatten().collect::<Vec<_>>().join("\n")
}

/// `GET /v3/admin/directory_groups`
pub(in crate::http) async fn list(app: web::Data<AppState>, operator: OperatorCaller) -> Answer {
    operator.may(OperatorAct::ReadSettings)?;
    let accounts = &app.directory.context().accounts;
    let found = accounts.directory_groups(GroupFilter::default(), 0, DIRECTORY_GROUPS).await?;
    reply::named_list("groups", found.groups.iter().map(wire::group))
}

/// `PUT /v3/admin/directory_groups/:id`
pub(in crate::http) async fn map(
    app: web::Data<AppState>,
    operator: OperatorCaller,
    LoggedIn(caller): LoggedIn,
    path: web::Path<String>,
    body: Body,
) -> Answer {
    operator.may(OperatorAct::ChangeRoles)?;
    let (role, reason) = ::wire::operators::read_role(&body.fields()?)?;
    fresh::require(&app, &caller).await?;
    let id: DirectoryGroupId = path.parse().map_err(|_| DirectoryGroupRefusal::Unknown)?;
    let _turn = app.operators.directory_turn().await;
    let group = app.directory.context().accounts.directory_group(id).await?;
    let group = group.ok_or(DirectoryGroupRefusal::Unknown)?;
    let writer =
        DirectoryWriter { app: &app, operator: &operator, is_directory: false, reason: &reason };
    let mapped = writer.write(DirectoryGroupAct::Map(id, role), Some(group)).await;
    let mapped = mapped.map_err(|failure| match failure {
        ScimFailure::Api(error) => error,
        ScimFailure::Refused(refusal) => ApiError::new(StatusCode::BAD_REQUEST, refusal),
    })?;
    Ok(reply::ok(&wire::group(&mapped.ok_or(DirectoryGroupRefusal::Unknown)?)))
}
