//! Rows of what is due: whether an account and a group fit together, checked again whenever one of
//! them changes.

use crate::derive::Derivation;
use crate::rows::{BotRow, GroupRow, UserRow};
use crate::{IndexFault, due, keys};
use domain::group::{Bot, Contact, GroupFact, Invite, Member};
use domain::ids::{ClientId, GroupId, UserId};
use domain::user::Profile;

impl Derivation<'_> {
    /// Checks again the users whom a fact of a group is about.
    pub(super) fn reconsider_group(
        &mut self,
        group: GroupId,
        fact: &GroupFact,
    ) -> Result<(), IndexFault> {
        match fact {
            GroupFact::Created { owner: member, .. }
            | GroupFact::MemberLeft { member, .. }
            | GroupFact::MemberChanged { member, .. } => self.reconsider(member.user_id, group),
            GroupFact::MembersJoined { members, .. } => {
                members.iter().try_for_each(|member| self.reconsider(member.user_id, group))
            }
            GroupFact::BotAdded(bot) | GroupFact::BotRemoved(bot) => {
                self.reconsider(bot.creator, group)
            }
            GroupFact::Invited { invites } => {
                let contacts = invites.iter().map(|invite| &invite.contact);
                contacts.into_iter().try_for_each(|it| self.reconsider_invited(group, it))
            }
            GroupFact::InvitesSettled { contacts, .. } => {
                contacts.iter().try_for_each(|it| self.reconsider_invited(group, it))
            }
            // `disband` checks everybody who was in the group.
            GroupFact::Disbanded { .. }
            | GroupFact::Posted(_)
            | GroupFact::SettingsChanged { .. }
            | GroupFact::OwnerChanged { .. }
            | GroupFact::AddRequested(_)
            | GroupFact::JoinRequested(_)
            | GroupFact::RequestSettled { .. }
            | GroupFact::Moderated(_)
            | GroupFact::AddSettled { .. }
            | GroupFact::Liked(_)
            | GroupFact::Unliked(_)
            | GroupFact::Revised(_)
            | GroupFact::Polled(_)
            | GroupFact::Planned(_)
            | GroupFact::BotChanged(_)
            | GroupFact::Topic(_) => Ok(()),
        }
    }

    /// Checks again the user who has this email address or phone number, if anybody has.
    pub(super) fn reconsider_invited(
        &mut self,
        group: GroupId,
        contact: &Contact,
    ) -> Result<(), IndexFault> {
        let owner: Option<UserId> = match contact {
            Contact::Email(text) => self.draft.get("email", &keys::email(text))?,
            Contact::Phone(text) => self.draft.get("phone", &keys::phone(text))?,
        };
        owner.map_or(Ok(()), |owner| self.reconsider(owner, group))
    }

    /// Checks again the groups that a user is in or made bots for.
    pub(super) fn reconsider_seats(&mut self, user: UserId) -> Result<(), IndexFault> {
        let mut groups: Vec<GroupId> = Vec::new();
        for key in self.draft.keys_below(&keys::seats(user))? {
            groups.push(keys::group_of(&key));
        }
        groups.extend(self.groups_of_bots(user)?);
        groups.into_iter().try_for_each(|group| self.reconsider(user, group))
    }

    /// Returns the groups that have an invite for one of this profile's contacts.
    pub(super) fn groups_inviting(&self, profile: &Profile) -> Result<Vec<GroupId>, IndexFault> {
        let mut groups = Vec::new();
        for contact in profile.contacts() {
            let keys = self.draft.keys_below(&keys::invitations(&contact))?;
            groups.extend(keys.iter().map(|key| keys::group_of(key)));
        }
        Ok(groups)
    }

    /// Writes or deletes the row saying that a change to a user's account is still to be carried
    /// out in a group.
    pub(super) fn reconsider(&mut self, user: UserId, group: GroupId) -> Result<(), IndexFault> {
        let key = due::key((user, group));
        match (self.is_due(user, group)?, self.draft.has(&key)?) {
            (true, false) => self.draft.put_bytes(key, Vec::new()),
            (false, true) => self.draft.delete(key),
            (true, true) | (false, false) => {}
        }
        Ok(())
    }

    fn is_due(&self, user: UserId, group: GroupId) -> Result<bool, IndexFault> {
        let known: Option<GroupRow> = self.draft.get("group", &keys::group(group))?;
        let account: Option<UserRow> = self.draft.get("user", &keys::user(user))?;
        let (Some(known), Some(account)) = (known, account) else { return Ok(false) };
        if known.disbanded {
            return Ok(false);
        }
        let member: Option<Member> = self.draft.get("member", &keys::member(group, user))?;
        if account.is_deleted {
            return Ok(member.is_some() || self.groups_of_bots(user)?.contains(&group));
        }
        let profile = &account.profile;
        let looks_other = |member: &Member| {
            member.name != profile.name.as_str()
                || member.image != profile.image
                || member.kind() != profile.kind()
        };
        if member.as_ref().is_some_and(looks_other) {
            return Ok(true);
        }
        for contact in profile.contacts() {
            if self.draft.get::<Invite>("invite", &keys::invite(group, &contact))?.is_some() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Lists a bot under its application. The application may have ended while the bot was being
    /// made: then the bot is to be removed.
    pub(super) fn place_bot(&mut self, group: GroupId, bot: &Bot) -> Result<(), IndexFault> {
        self.displace_bot(group, bot)?;
        let Some(client) = bot.client else { return Ok(()) };
        let place = (bot.creator, group);
        self.draft.put_bytes(due::bot_of_client(client, place, &bot.id), Vec::new());
        if !self.draft.has(&keys::application(client))? {
            self.draft.put_bytes(due::orphan(place, &bot.id), Vec::new());
        }
        Ok(())
    }

    /// Removes a bot, as its row has it so far, from the list of its application.
    pub(super) fn displace_bot(&mut self, group: GroupId, bot: &Bot) -> Result<(), IndexFault> {
        let known: Option<BotRow> = self.draft.get("bot", &keys::bot(&bot.id))?;
        let Some(client) = known.and_then(|row| row.bot.client) else { return Ok(()) };
        let place = (bot.creator, group);
        self.draft.delete(due::bot_of_client(client, place, &bot.id));
        self.draft.delete(due::orphan(place, &bot.id));
        Ok(())
    }

    /// Notes that the bots of an application that ended are to be removed.
    pub(super) fn orphan_bots(&mut self, client: ClientId) -> Result<(), IndexFault> {
        for key in self.draft.keys_below(&due::bots_of_client(client))? {
            let Some((creator, group, bot)) = due::of_bot_of_client(&key) else { continue };
            self.draft.put_bytes(due::orphan((creator, group), &bot), Vec::new());
        }
        Ok(())
    }

    fn groups_of_bots(&self, creator: UserId) -> Result<Vec<GroupId>, IndexFault> {
        let mut groups = Vec::new();
        for key in self.draft.keys_below(&keys::bots_of_creator(creator))? {
            groups.extend(self.draft.get::<BotRow>("bot", &key)?.map(|row| row.group));
        }
        Ok(groups)
    }
}
