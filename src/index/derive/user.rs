//! The rows of a user: profile, addresses, tokens, applications, blocks.

use crate::derive::Derivation;
use crate::rows::{ApplicationRow, EventPosition, TokenRow, UserRow};
use crate::{IndexFault, images, keys, past};
use domain::attachment::ImageRef;
use domain::factors::Factors;
use domain::file::FileId;
use domain::identities::{Identities, IdentityChange};
use domain::ids::{ClientId, Conversation, TokenId, UserId};
use domain::mail::Mailbox;
use domain::scim::{DirectoryNames, Provisioning, ProvisioningChange};
use domain::text::Email;
use domain::time::Timestamp;
use domain::user::{
    ContactChanges, Device, Draft, Profile, SmsMode, TokenHash, TokenRecord, UserFact,
};

impl Derivation<'_> {
    pub(super) fn user(
        &mut self,
        user: UserId,
        at: Timestamp,
        place: Option<EventPosition>,
        fact: &UserFact,
    ) -> Result<(), IndexFault> {
        match fact {
            UserFact::Registered { profile, password } => {
                self.register(user, at, profile, password)
            }
            UserFact::ProfileChanged { profile } => self.change_profile(user, at, place, profile),
            UserFact::SmsModeOn(mode) => self.set_sms(user, place, Some(mode)),
            UserFact::SmsModeOff => self.set_sms(user, place, None),
            UserFact::TokenIssued(token) => self.issue(user, token),
            UserFact::TokenRevoked { id, hash } => self.revoke(user, *id, hash),
            UserFact::TokensRevoked { tokens } => {
                tokens.iter().try_for_each(|token| self.revoke(user, token.id, &token.hash))
            }
            UserFact::TokenUsed { id } => self.use_token(user, *id, at),
            // Read marks are gathered in `reading`, together with those that posts move.
            UserFact::ReadUpTo(_) => Ok(()),
            // The user's own readers receive it; nothing is kept.
            UserFact::ReportResolved { .. } => Ok(()),
            UserFact::Drafted { conv, draft } => self.keep_draft(user, *conv, at, draft),
            UserFact::LevelSet { conv, level } => self.set_level(user, *conv, *level),
            UserFact::ChatMuted { .. } | UserFact::TopicMuted { .. } => self.muted(user, fact),
            UserFact::AllMuted { until } => self.mute_all(user, *until),
            UserFact::PasswordChanged { password } => self.change_password(user, password),
            UserFact::Mailed(change) => self.mailed(user, at, change),
            UserFact::Factored(change) => self.change(user, |row| row.factors.apply(at, change)),
            UserFact::Identified(change) => self.identified(user, at, change),
            UserFact::Provisioned(change) => self.provisioned(user, at, change),
            UserFact::ApplicationRegistered(application) => {
                let row = ApplicationRow { owner: user, application: application.clone() };
                self.draft.put(keys::application(application.client), &row)?;
                self.draft.put(keys::application_of(user, application.client), application)
            }
            UserFact::ApplicationsRemoved { clients } => {
                clients.iter().try_for_each(|client| self.remove_application(user, *client))
            }
            UserFact::OperatorRoleSet { role } => self.set_operator_role(user, *role, at),
            UserFact::Waits(waiting) => self.waits(user, Some(waiting)),
            UserFact::Admitted => self.waits(user, None),
            UserFact::DmFromChosen { choice } => {
                self.change_dm_rules(user, |rules| rules.choice = *choice)
            }
            UserFact::RequestChanged { chat, change } => {
                self.change_dm_rules(user, |rules| rules.apply(at, chat.other(user), *change))
            }
            UserFact::Disabled => self.change(user, |row| row.disabled_at = Some(at)),
            UserFact::Enabled => self.change(user, |row| row.disabled_at = None),
            UserFact::ConversationsPinned { conversations } => {
                self.change(user, |row| row.pinned.clone_from(conversations))
            }
            UserFact::ListArranged { pinned, folders } => {
                self.change_folders(user, folders)?;
                self.change(user, |row| row.pinned.clone_from(pinned))
            }
            UserFact::MessageSaved(message) => self.save_message(user, message),
            UserFact::MessageUnsaved { conv, message } => {
                self.unsave_message(user, *conv, *message)
            }
            UserFact::PictureNamed { picture, image } => self.name_picture(picture, image),
            UserFact::Deleted => self.delete(user, at),
            UserFact::Blocked { other } => self.draft.put(keys::block(user, *other), &at),
            UserFact::Unblocked { other, .. } => {
                self.draft.delete(keys::block(user, *other));
                Ok(())
            }
            UserFact::DeviceAdded(device) => self.draft.put(keys::device(user, &device.id), device),
            UserFact::DeviceRemoved { id } => {
                self.draft.delete(keys::device(user, id));
                Ok(())
            }
        }
    }

    fn register(
        &mut self,
        user: UserId,
        at: Timestamp,
        profile: &Profile,
        password: &str,
    ) -> Result<(), IndexFault> {
        self.index_contacts(user, None, profile)?;
        let row = UserRow {
            profile: profile.clone(),
            password: password.to_owned(),
            created_at: at,
            updated_at: at,
            sms: None,
            is_deleted: false,
            disabled_at: None,
            public_profiles: 0,
            pinned: Vec::new(),
            contact_changes: ContactChanges::default(),
            mailbox: Mailbox::default(),
            factors: Factors::default(),
            identities: Identities::default(),
            operator: None,
            provisioning: Provisioning::default(),
            waiting: None,
            operator_since: None,
        };
        self.draft.put(keys::user(user), &row)?;
        self.reconsider_invites(user, profile, None)
    }

    fn change_password(&mut self, user: UserId, password: &str) -> Result<(), IndexFault> {
        self.change(user, |row| {
            password.clone_into(&mut row.password);
            row.mailbox.end_recovery_links();
            row.factors.end_trust();
            row.identities.has_no_password = false;
        })
    }

    fn identified(
        &mut self,
        user: UserId,
        at: Timestamp,
        change: &IdentityChange,
    ) -> Result<(), IndexFault> {
        match change {
            IdentityChange::Linked { identity, .. } => {
                self.draft.put(keys::identity(identity), &user)?;
            }
            IdentityChange::Unlinked { identity } => self.draft.delete(keys::identity(identity)),
            IdentityChange::BegunWithoutPassword
            | IdentityChange::SessionBegun(_)
            | IdentityChange::LoggedOut { .. } => {}
        }
        self.change(user, |row| row.identities.apply(at, change))
    }

    fn provisioned(
        &mut self,
        user: UserId,
        at: Timestamp,
        change: &ProvisioningChange,
    ) -> Result<(), IndexFault> {
        if let ProvisioningChange::Named(names) = change {
            let row: Option<UserRow> = self.draft.get("user", &keys::user(user))?;
            if let Some(row) = row {
                self.forget_directory_names(user, &row.provisioning.names)?;
            }
            for digest in names.digests() {
                self.draft.put(keys::directory_name(&digest), &user)?;
            }
        }
        self.change(user, |row| row.provisioning.apply(at, change))
    }

    /// Removes the rows of the directory's names, unless another account has the name by now.
    fn forget_directory_names(
        &mut self,
        user: UserId,
        names: &DirectoryNames,
    ) -> Result<(), IndexFault> {
        for digest in names.digests() {
            let key = keys::directory_name(&digest);
            if self.draft.get("directory name", &key)? == Some(user) {
                self.draft.delete(key);
            }
        }
        Ok(())
    }

    /// Notes which image came under an id; the first bytes stay.
    fn name_picture(&mut self, picture: &FileId, image: &ImageRef) -> Result<(), IndexFault> {
        let key = keys::picture(picture);
        if self.draft.has(&key)? { Ok(()) } else { self.draft.put(key, image) }
    }

    fn use_token(&mut self, user: UserId, id: TokenId, at: Timestamp) -> Result<(), IndexFault> {
        let key = keys::user_token(user, id);
        let token: Option<TokenRecord> = self.draft.get("user token", &key)?;
        let Some(mut token) = token else { return Ok(()) };
        token.last_used_at = Some(at);
        self.draft.put(keys::token(&token.hash), &TokenRow { user, token: token.clone() })?;
        self.draft.put(key, &token)
    }

    fn keep_draft(
        &mut self,
        user: UserId,
        conv: Conversation,
        at: Timestamp,
        draft: &Draft,
    ) -> Result<(), IndexFault> {
        let key = keys::draft(user, conv.into());
        let stays = Some(draft).filter(|draft| !draft.is_empty());
        images::drafted(&mut self.draft, &key, at, stays)?;
        if stays.is_none() {
            self.draft.delete(key);
            return Ok(());
        }
        self.draft.put(key, draft)
    }

    fn change_profile(
        &mut self,
        user: UserId,
        at: Timestamp,
        place: Option<EventPosition>,
        profile: &Profile,
    ) -> Result<(), IndexFault> {
        let key = keys::user(user);
        let row: Option<UserRow> = self.draft.get("user", &key)?;
        let Some(mut row) = row else { return Ok(()) };
        self.index_contacts(user, Some(&row.profile), profile)?;
        if let Some(place) = place.filter(|_| !row.profile.looks_like(profile)) {
            row.public_profiles += 1;
            self.note_public_profile(user, EventPosition { n: row.public_profiles, ..place })?;
        }
        row.contact_changes.note(&row.profile, profile, at);
        let old = std::mem::replace(&mut row.profile, profile.clone());
        row.updated_at = at;
        self.draft.put(key, &row)?;
        self.note_past(user, place)?;
        if !old.looks_like(profile) {
            self.reconsider_seats(user)?;
        }
        self.reconsider_invites(user, profile, Some(&old))
    }

    /// Checks again the groups that invite, or invited, a contact of this profile.
    fn reconsider_invites(
        &mut self,
        user: UserId,
        profile: &Profile,
        old: Option<&Profile>,
    ) -> Result<(), IndexFault> {
        let mut groups = self.groups_inviting(profile)?;
        if let Some(old) = old.filter(|old| old.contacts().ne(profile.contacts())) {
            groups.extend(self.groups_inviting(old)?);
        }
        groups.into_iter().try_for_each(|group| self.reconsider(user, group))
    }

    /// Notes how an account is shown from this event on.
    fn note_past(&mut self, user: UserId, place: Option<EventPosition>) -> Result<(), IndexFault> {
        let row: Option<UserRow> = self.draft.get("user", &keys::user(user))?;
        let (Some(row), Some(place)) = (row, place) else { return Ok(()) };
        past::note_account(&mut self.draft, user, place.n, &row)
    }

    /// Notes the event that made a user's newest public profile; `place.n` is the profile's number.
    fn note_public_profile(
        &mut self,
        user: UserId,
        place: EventPosition,
    ) -> Result<(), IndexFault> {
        self.draft.put_bytes(keys::public_profile(user, place.n), place.encode());
        self.draft.put(keys::PUBLIC_PROFILES.to_vec(), &place.cursor().get())
    }

    fn issue(&mut self, user: UserId, token: &TokenRecord) -> Result<(), IndexFault> {
        if let Some(client) = token.client {
            // The application may have been removed while its user was consenting.
            let key = keys::application(client);
            if self.draft.get::<ApplicationRow>("application", &key)?.is_none() {
                return Ok(());
            }
            self.draft.put(keys::client_token(client, user, token.id), &token.hash)?;
        }
        self.draft.put(keys::user_token(user, token.id), token)?;
        self.draft.put(keys::token(&token.hash), &TokenRow { user, token: token.clone() })
    }

    fn revoke(&mut self, user: UserId, id: TokenId, hash: &TokenHash) -> Result<(), IndexFault> {
        let key = keys::user_token(user, id);
        let token: Option<TokenRecord> = self.draft.get("user token", &key)?;
        if let Some(client) = token.and_then(|token| token.client) {
            self.draft.delete(keys::client_token(client, user, id));
        }
        self.draft.delete(key);
        self.draft.delete(keys::token(hash));
        Ok(())
    }

    fn remove_application(&mut self, owner: UserId, client: ClientId) -> Result<(), IndexFault> {
        self.draft.delete(keys::application(client));
        self.draft.delete(keys::application_of(owner, client));
        self.orphan_bots(client)?;
        for key in self.draft.keys_below(&keys::client_tokens(client))? {
            let hash: Option<TokenHash> = self.draft.get("client token", &key)?;
            if let Some(hash) = hash {
                let (user, id) = keys::last_two_numbers(&key);
                let user = UserId::new(user);
                let id = TokenId::new(id);
                self.revoke(user, id, &hash)?;
                self.remove_devices(user, id)?;
            }
        }
        Ok(())
    }

    /// Removes the devices of a token that ended without the user's room knowing.
    fn remove_devices(&mut self, user: UserId, token: TokenId) -> Result<(), IndexFault> {
        for key in self.draft.keys_below(&keys::devices(user))? {
            let device: Option<Device> = self.draft.get("device", &key)?;
            if device.is_some_and(|device| device.token == token) {
                self.draft.delete(key);
            }
        }
        Ok(())
    }

    /// Frees the email address and phone number of an account and forgets its profile except for
    /// the name, which is shown beside what the user wrote.
    fn delete(&mut self, user: UserId, at: Timestamp) -> Result<(), IndexFault> {
        for key in self.draft.keys_below(&keys::drafts(user))? {
            images::drafted(&mut self.draft, &key, at, None)?;
        }
        let below =
            [keys::blocks(user), keys::devices(user), keys::drafts(user), keys::all_confided(user)];
        for prefix in below.into_iter().chain(keys::notices_of_user(user)) {
            for key in self.draft.keys_below(&prefix)? {
                self.draft.delete(key);
            }
        }
        self.draft.delete(keys::in_sms_mode(user));
        self.index_operator(user, None)?;
        self.draft.delete(keys::waiting_account(user));
        self.draft.delete(keys::dm_rules(user));
        self.draft.delete(keys::folders(user));
        self.draft.delete(keys::saved(user));
        past::forget_account(&mut self.draft, user)?;
        let row: Option<UserRow> = self.draft.get("user", &keys::user(user))?;
        let Some(row) = row else { return Ok(()) };
        self.unindex_contacts(user, &row.profile)?;
        self.unqueue(user, &row.mailbox);
        self.forget_dead_mails(user)?;
        for linked in &row.identities.linked {
            self.draft.delete(keys::identity(&linked.identity));
        }
        self.forget_directory_names(user, &row.provisioning.names)?;
        let inviting = self.groups_inviting(&row.profile)?;
        self.change(user, |row| {
            row.profile = Profile {
                name: row.profile.name.clone(),
                email: Email::nobodys(),
                phone: None,
                image: None,
                zip_code: None,
                guest: None,
            };
            row.password.clear();
            row.sms = None;
            row.pinned.clear();
            row.mailbox = Mailbox::default();
            row.factors = Factors::default();
            row.identities = Identities::default();
            row.operator = None;
            row.operator_since = None;
            row.provisioning = Provisioning::default();
            row.waiting = None;
            row.is_deleted = true;
        })?;
        inviting.into_iter().try_for_each(|group| self.reconsider(user, group))?;
        self.reconsider_seats(user)
    }

    fn set_sms(
        &mut self,
        user: UserId,
        place: Option<EventPosition>,
        sms: Option<&SmsMode>,
    ) -> Result<(), IndexFault> {
        match sms {
            Some(_) => self.draft.put(keys::in_sms_mode(user), &())?,
            None => self.draft.delete(keys::in_sms_mode(user)),
        }
        self.change(user, |row| row.sms = sms.cloned())?;
        self.note_past(user, place)
    }

    pub(crate) fn change(
        &mut self,
        user: UserId,
        change: impl FnOnce(&mut UserRow),
    ) -> Result<(), IndexFault> {
        let key = keys::user(user);
        let row: Option<UserRow> = self.draft.get("user", &key)?;
        let Some(mut row) = row else { return Ok(()) };
        change(&mut row);
        self.draft.put(key, &row)
    }

    /// Makes a user findable by the email address and phone number of a profile, and no longer by
    /// those of the old one.
    fn index_contacts(
        &mut self,
        user: UserId,
        old: Option<&Profile>,
        new: &Profile,
    ) -> Result<(), IndexFault> {
        if let Some(old) = old {
            self.unindex_contacts(user, old)?;
        }
        for (key, is_exact) in contact_keys(new) {
            // Two accounts of earlier versions may have contacts that are the same by now. Then
            // the one whose contact is written like the key has it.
            if is_exact || !self.draft.has(&key)? {
                self.draft.put(key, &user)?;
            }
        }
        Ok(())
    }

    fn unindex_contacts(&mut self, user: UserId, profile: &Profile) -> Result<(), IndexFault> {
        for (key, _) in contact_keys(profile) {
            if self.draft.get("contact", &key)? == Some(user) {
                self.draft.delete(key);
            }
        }
        Ok(())
    }
}

/// The keys of the rows that find a profile by its contacts; each with whether earlier versions
/// would have written it, too.
fn contact_keys(profile: &Profile) -> Vec<(Vec<u8>, bool)> {
    let former = profile.email.former_key();
    let mut keys = vec![(keys::email(&profile.email.key()), former.is_none())];
    keys.extend(former.map(|former| (keys::email(&former), true)));
    if let Some(phone) = &profile.phone {
        keys.push((keys::phone(&phone.key()), phone.former_key().is_none()));
    }
    keys
}
