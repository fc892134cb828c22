//! Look-ups of accounts as a directory sees them through SCIM: all but those that it deleted.

use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, HashMap};

use crate::accounts::Accounts;
use domain::directory_groups::ProvisionedGroup;
use domain::ids::{DirectoryGroupId, UserId};
use domain::operators::OperatorRole;
use domain::operators::lists::NamedAccount;
use domain::scim::{Provisioning, external_id_digest, user_name_digest, user_name_key};
use domain::scopes::{Scope, ScopeSet};
use domain::text::Email;
use domain::time::Timestamp;
use domain::user::{Profile, TokenRecord, User};
use index::rows::UserRow;
use index::{Index, IndexFault};

/// Accounts that are read at once where all are read.
const USERS_AT_ONCE: usize = 500;

/// The name by which a directory looks for an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DirectoryFilter {
    /// The id.
    Id(String),
    /// The `userName`: the directory's own, or the email address of an account for which it has
    /// none.
    UserName(String),
    /// The `externalId`.
    ExternalId(String),
}

/// A page of the accounts that a directory sees.
#[derive(Debug, Default)]
pub struct DirectoryPage {
    /// The number of all accounts.
    pub total: usize,
    /// The accounts of the page, in the order of their ids.
    pub accounts: Vec<DirectoryAccount>,
}

/// An account as a directory sees it.
#[derive(Debug, Clone)]
pub struct DirectoryAccount {
    /// The user.
    pub id: UserId,
    /// The profile.
    pub profile: Profile,
    /// What the directory did.
    pub provisioning: Provisioning,
    /// When the account was registered.
    pub created_at: Timestamp,
    /// When its profile last changed.
    pub updated_at: Timestamp,
}

impl From<&User> for DirectoryAccount {
    fn from(user: &User) -> Self {
        Self {
            id: user.id,
            profile: user.profile.clone(),
            provisioning: user.provisioning.clone(),
            created_at: user.created_at,
            updated_at: user.updated_at,
        }
    }
}

fn seen(id: UserId, row: UserRow) -> DirectoryAccount {
    let UserRow { profile, provisioning, created_at, updated_at, .. } = row;
    DirectoryAccount { id, profile, provisioning, created_at, updated_at }
}

/// The attributes by which a directory looks for its groups; absent ones are not compared.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GroupFilter {
    /// The id.
    pub id: Option<String>,
    /// The name, compared without case.
    pub name: Option<String>,
    /// The directory's id.
    pub external_id: Option<String>,
    /// The id of a user who is a member.
    pub member: Option<String>,
}

impl GroupFilter {
    /// Whether a group is looked for.
    fn wants(&self, group: &ProvisionedGroup) -> bool {
        let names = &group.names;
        let is_equal = |wanted: &Option<String>, own: &str| {
            wanted.as_deref().is_none_or(|wanted| wanted == own)
        };
        let name = self.name.as_deref().map(user_name_key);
        let external_id = names.external_id.as_deref();
        let member = self.member.as_deref().map(str::parse::<UserId>);
        is_equal(&self.id, &group.id.to_string())
            && is_equal(&name, &user_name_key(&names.name))
            && self.external_id.as_deref().is_none_or(|wanted| external_id == Some(wanted))
            && member.is_none_or(|it| it.is_ok_and(|user| group.members.contains(&user)))
    }
}

/// A page of the groups of a directory.
#[derive(Debug, Default)]
pub struct GroupPage {
    /// The number of all groups.
    pub total: usize,
    /// The groups of the page, in the order of their ids.
    pub groups: Vec<ProvisionedGroup>,
}

/// A group of a directory that a user is in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DirectoryMembership {
    /// The group.
    pub id: DirectoryGroupId,
    /// Its name.
    pub name: String,
    /// The role that its members get.
    pub role: Option<OperatorRole>,
}

/// A token of a directory, and the admin who made it.
#[derive(Debug)]
pub struct DirectoryToken {
    /// The token.
    pub token: TokenRecord,
    /// The admin.
    pub by: NamedAccount,
}

impl Accounts {
    /// Returns the account that a directory looks for, also one that it deleted.
    ///
    /// # Errors
    /// If the index cannot be read; so for every function here.
    pub async fn by_directory_name(
        &self,
        filter: DirectoryFilter,
    ) -> Result<Option<DirectoryAccount>, IndexFault> {
        self.ask(move |index| find(index, &filter)).await
    }

    /// Returns the account that has an email address, also one that the directory deleted.
    pub async fn by_directory_address(
        &self,
        email: &Email,
    ) -> Result<Option<DirectoryAccount>, IndexFault> {
        Ok(self.by_typed_email(email.as_str()).await?.map(|(id, row)| seen(id, row)))
    }

    /// Returns a page of the accounts that a directory sees: at most `most` after the first `skip`.
    /// Reads every account.
    pub async fn directory_page(
        &self,
        skip: usize,
        most: usize,
    ) -> Result<DirectoryPage, IndexFault> {
        self.ask(move |index| {
            let mut page = DirectoryPage::default();
            let mut last = UserId::new(0);
            loop {
                let users = index.users_after(last, USERS_AT_ONCE)?;
                let Some((id, _)) = users.last() else { return Ok(page) };
                last = *id;
                for (id, row) in users.into_iter().filter(|(_, row)| !row.provisioning.is_removed) {
                    page.total += 1;
                    if page.total > skip && page.accounts.len() < most {
                        page.accounts.push(seen(id, row));
                    }
                }
            }
        })
        .await
    }

    /// Returns a page of the groups of directories: at most `most` after the first `skip`. Accounts
    /// that were deleted, or that the directory deleted, are no members.
    pub async fn directory_groups(
        &self,
        filter: GroupFilter,
        skip: usize,
        most: usize,
    ) -> Result<GroupPage, IndexFault> {
        self.ask(move |index| {
            let all = index.directory_groups()?.groups.into_values();
            let found: Vec<ProvisionedGroup> = all.filter(|it| filter.wants(it)).collect();
            let total = found.len();
            let page = found.into_iter().skip(skip).take(most).map(|it| with_seen(index, it));
            Ok(GroupPage { total, groups: page.collect::<Result<_, _>>()? })
        })
        .await
    }

    /// Returns a group of a directory, whose members are as in [`Accounts::directory_groups`].
    pub async fn directory_group(
        &self,
        id: DirectoryGroupId,
    ) -> Result<Option<ProvisionedGroup>, IndexFault> {
        self.ask(move |index| {
            index.directory_group(id)?.map(|group| with_seen(index, group)).transpose()
        })
        .await
    }

    /// Returns the groups of directories that each of these users is in.
    pub async fn joined_directory_groups(
        &self,
        users: Vec<UserId>,
    ) -> Result<HashMap<UserId, Vec<DirectoryMembership>>, IndexFault> {
        self.ask(move |index| {
            let mut known: HashMap<DirectoryGroupId, Option<DirectoryMembership>> = HashMap::new();
            let mut joined: HashMap<UserId, Vec<DirectoryMembership>> = HashMap::new();
            for user in users {
                for id in index.directory_groups_of(user)? {
                    let group = match known.entry(id) {
                        Entry::Occupied(known) => known.into_mut(),
                        Entry::Vacant(place) => {
                            let group = index.directory_group(id)?;
                            place.insert(group.map(|it| DirectoryMembership {
                                id,
                                name: it.names.name,
                                role: it.role,
                            }))
                        }
                    };
                    let group = group.clone();
                    joined.entry(user).or_default().extend(group);
                }
            }
            Ok(joined)
        })
        .await
    }

    /// The first of these users whom the directory does not see.
    pub async fn unseen_by_directory(
        &self,
        users: Vec<UserId>,
    ) -> Result<Option<UserId>, IndexFault> {
        self.ask(move |index| {
            for user in users {
                if !is_seen(index, user)? {
                    return Ok(Some(user));
                }
            }
            Ok(None)
        })
        .await
    }

    /// Returns the tokens that operators made for directories, oldest first.
    pub async fn directory_tokens(&self) -> Result<Vec<DirectoryToken>, IndexFault> {
        self.ask(|index| {
            let mut found = Vec::new();
            for (user, _) in index.operators()? {
                let Some(row) = index.user(user)? else { continue };
                let by = NamedAccount { id: user, name: Some(row.profile.name) };
                let tokens = index.tokens(user)?.into_iter().filter(TokenRecord::is_of_directory);
                found.extend(tokens.map(|token| DirectoryToken { token, by: by.clone() }));
            }
            found.sort_by_key(|it| it.token.id);
            Ok(found)
        })
        .await
    }
}

fn is_seen(index: &Index, user: UserId) -> Result<bool, IndexFault> {
    Ok(index.user(user)?.is_some_and(|row| !row.provisioning.is_removed))
}

fn with_seen(index: &Index, mut group: ProvisionedGroup) -> Result<ProvisionedGroup, IndexFault> {
    let mut seen = BTreeSet::new();
    for user in group.members {
        if is_seen(index, user)? {
            seen.insert(user);
        }
    }
    group.members = seen;
    Ok(group)
}

fn find(index: &Index, filter: &DirectoryFilter) -> Result<Option<DirectoryAccount>, IndexFault> {
    let named = match filter {
        DirectoryFilter::Id(id) => id.parse().ok(),
        DirectoryFilter::ExternalId(id) => index.user_by_directory_name(&external_id_digest(id))?,
        DirectoryFilter::UserName(name) => index.user_by_directory_name(&user_name_digest(name))?,
    };
    if let Some(id) = named {
        return Ok(index.user(id)?.map(|row| seen(id, row)));
    }
    let DirectoryFilter::UserName(name) = filter else { return Ok(None) };
    let Some(id) = index.user_by_email(&domain::canonical::contacts::email_key(name))? else {
        return Ok(None);
    };
    let row = index.user(id)?.filter(|row| row.provisioning.names.user_name.is_none());
    Ok(row.map(|row| seen(id, row)))
}

/// The scopes of a token that a directory has.
pub const DIRECTORY_SCOPES: ScopeSet = ScopeSet::of(&[Scope::Scim]);
