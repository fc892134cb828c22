//! The rows of a user: profile, addresses, tokens, blocks.

use crate::domain::ids::UserId;
use crate::domain::time::Timestamp;
use crate::domain::user::{Profile, SmsMode, UserFact};
use crate::index::derive::Derivation;
use crate::index::rows::{KeyRow, UserRow};
use crate::index::{IndexFault, keys};

impl Derivation<'_> {
    pub(super) fn user(
        &mut self,
        user: UserId,
        at: Timestamp,
        fact: &UserFact,
    ) -> Result<(), IndexFault> {
        match fact {
            UserFact::Registered { profile, password } => {
                self.highs.user = self.highs.user.max(user.get());
                self.name(user, None, profile)?;
                let row = UserRow {
                    profile: profile.clone(),
                    password: password.clone(),
                    created_at: at,
                    updated_at: at,
                    sms: None,
                };
                self.draft.put(keys::user(user), &row)
            }
            UserFact::ProfileChanged { profile } => {
                let key = keys::user(user);
                let row: Option<UserRow> = self.draft.get("user", &key)?;
                let Some(mut row) = row else { return Ok(()) };
                self.name(user, Some(&row.profile), profile)?;
                row.profile = profile.clone();
                row.updated_at = at;
                self.draft.put(key, &row)
            }
            UserFact::SmsModeOn(mode) => self.set_sms(user, Some(mode.clone())),
            UserFact::SmsModeOff => self.set_sms(user, None),
            UserFact::TokenIssued(token) => {
                self.highs.token = self.highs.token.max(token.id.get());
                self.draft.put(keys::user_token(user, token.id), token)?;
                self.draft.put(keys::token(&token.hash), &KeyRow { user, token: token.clone() })
            }
            UserFact::TokenRevoked { id, hash } => {
                self.draft.delete(keys::user_token(user, *id));
                self.draft.delete(keys::token(hash));
                Ok(())
            }
            // Marks are gathered beside it, with those that posts move.
            UserFact::ReadUpTo(_) => Ok(()),
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

    fn set_sms(&mut self, user: UserId, sms: Option<SmsMode>) -> Result<(), IndexFault> {
        let key = keys::user(user);
        let row: Option<UserRow> = self.draft.get("user", &key)?;
        let Some(mut row) = row else { return Ok(()) };
        match sms {
            Some(_) => self.draft.put(keys::in_sms_mode(user), &())?,
            None => self.draft.delete(keys::in_sms_mode(user)),
        }
        row.sms = sms;
        self.draft.put(key, &row)
    }

    /// Makes a user findable by email and phone number, no longer by the old ones.
    fn name(
        &mut self,
        user: UserId,
        old: Option<&Profile>,
        new: &Profile,
    ) -> Result<(), IndexFault> {
        if let Some(old) = old {
            self.draft.delete(keys::email(&old.email.key()));
            if let Some(phone) = &old.phone {
                self.draft.delete(keys::phone(&phone.key()));
            }
        }
        if let Some(phone) = &new.phone {
            self.draft.put(keys::phone(&phone.key()), &user)?;
        }
        self.draft.put(keys::email(&new.email.key()), &user)
    }
}
