//! How a user is reached: by which of their devices, or by SMS, and for which messages.

use std::collections::{HashMap, HashSet};

use domain::guests::Guest;
use domain::ids::{ClientId, GroupId, StreamId, TokenId, UserId};
use domain::message::Author;
use domain::message_requests::RequestedChats;
use domain::notices::{ConversationMutes, NoticeLevel};
use domain::text::Phone;
use domain::time::Timestamp;
use domain::user::{Device, SmsMode, UserFact};
use index::{Index, IndexFault};

/// Applications of a user's tokens, for the devices that were registered with them.
pub(super) type DeviceClients = Vec<(TokenId, ClientId)>;

/// How one user is reached.
#[derive(Debug, Clone, Default)]
pub(super) struct Reach {
    /// The user's phone number.
    pub(super) phone: Option<Phone>,
    /// SMS mode, if it was switched on; it may have ended since.
    pub(super) sms: Option<SmsMode>,
    /// The user's devices.
    pub(super) devices: Vec<Device>,
    /// The groups that the user muted.
    pub(super) muted: HashSet<GroupId>,
    /// The levels of notices, where the user chose one.
    pub(super) levels: HashMap<StreamId, NoticeLevel>,
    /// The chats that the user muted.
    pub(super) mutes: ConversationMutes,
    /// The chats that are message requests, of which no notices are sent.
    pub(super) requested: RequestedChats,
    /// Until when the user muted everything.
    pub(super) all_muted: Option<Timestamp>,
    /// Present if the user is a guest, who gets no notices once the account has ended.
    pub(super) guest: Option<Guest>,
}

/// One way to reach a user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NoticeRoute<'a> {
    /// By SMS.
    Sms(&'a Phone),
    /// By Web Push.
    Device(&'a Device),
}

impl Reach {
    /// Reads what the index knows of a user, and the applications that registered devices; `None` if
    /// there is no such account.
    pub(super) fn read(
        index: &Index,
        user: UserId,
    ) -> Result<Option<(Self, DeviceClients)>, IndexFault> {
        let Some(row) = index.user(user)? else { return Ok(None) };
        let mut muted = HashSet::new();
        for (group, seat) in index.seats(user)? {
            let member = if seat.is_active() { index.member(group, user)? } else { None };
            if member.is_some_and(|member| member.muted) {
                muted.insert(group);
            }
        }
        let devices = index.devices(user)?;
        let levels = index.levels(user)?;
        let all_muted = index.all_muted(user)?;
        let mutes = index.conversation_mutes(user)?;
        let requested = index.requested_chats(user)?;
        let guest = row.profile.guest;
        let phone = row.profile.phone;
        let levels = levels.into_iter().collect();
        let clients = match devices.is_empty() {
            true => Vec::new(),
            false => index
                .tokens(user)?
                .into_iter()
                .filter_map(|it| it.client.map(|client| (it.id, client)))
                .collect(),
        };
        let sms = row.sms;
        let reach = Self { phone, sms, devices, muted, levels, mutes, requested, all_muted, guest };
        Ok(Some((reach, clients)))
    }

    /// Notes that the user muted a group, or unmuted it.
    pub(super) fn mute(&mut self, group: GroupId, muted: bool) {
        if muted {
            self.muted.insert(group);
        } else {
            self.muted.remove(&group);
        }
    }

    /// The level of notices that the user wants from a conversation now, with mutes applied. `parent`
    /// is the group, if the conversation is a topic.
    pub(super) fn level(
        &self,
        stream: StreamId,
        parent: Option<GroupId>,
        now: Timestamp,
    ) -> NoticeLevel {
        if self.requested.state(stream).is_some() {
            return NoticeLevel::None;
        }
        let level = self.levels.get(&stream).copied().unwrap_or_default();
        let group = if let StreamId::Group(group) = stream { Some(group) } else { None };
        let is_group_muted = group.into_iter().chain(parent).any(|it| self.muted.contains(&it));
        let is_muted = is_group_muted || self.mutes.until(stream).is_some_and(|until| now < until);
        let all_muted = self.all_muted.is_some_and(|until| now < until);
        if is_muted || all_muted { level.muted() } else { level }
    }

    /// Applies a fact.
    pub(super) fn apply(&mut self, fact: &UserFact) {
        match fact {
            UserFact::ProfileChanged { profile } => {
                self.phone = profile.phone.clone();
                self.guest = profile.guest;
            }
            UserFact::SmsModeOn(mode) => self.sms = Some(mode.clone()),
            UserFact::SmsModeOff => self.sms = None,
            UserFact::DeviceAdded(device) => {
                self.devices.retain(|known| known.id != device.id);
                self.devices.push(device.clone());
            }
            UserFact::DeviceRemoved { id } => self.devices.retain(|known| known.id != *id),
            UserFact::LevelSet { conv, level } => drop(self.levels.insert((*conv).into(), *level)),
            UserFact::ChatMuted { .. } | UserFact::TopicMuted { .. } => {
                if let Some((conv, until)) = fact.muted() {
                    self.mutes.mute(conv, until);
                }
            }
            UserFact::RequestChanged { chat, change } => self.requested.apply(*chat, *change),
            UserFact::AllMuted { until } => self.all_muted = *until,
            UserFact::Deleted => *self = Self::default(),
            UserFact::Disabled
            | UserFact::Enabled
            | UserFact::Registered { .. }
            | UserFact::TokenIssued(_)
            | UserFact::TokenRevoked { .. }
            | UserFact::Blocked { .. }
            | UserFact::Unblocked { .. }
            | UserFact::ReadUpTo(_)
            | UserFact::Drafted { .. }
            | UserFact::TokensRevoked { .. }
            | UserFact::TokenUsed { .. }
            | UserFact::PasswordChanged { .. }
            | UserFact::ApplicationRegistered(_)
            | UserFact::ApplicationsRemoved { .. }
            | UserFact::PictureNamed { .. }
            | UserFact::Mailed(_)
            | UserFact::Factored(_)
            | UserFact::Identified(_)
            | UserFact::Provisioned(_)
            | UserFact::Waits(_)
            | UserFact::Admitted
            | UserFact::DmFromChosen { .. }
            | UserFact::OperatorRoleSet { .. }
            | UserFact::ReportResolved { .. }
            | UserFact::ListArranged { .. }
            | UserFact::MessageSaved(_)
            | UserFact::MessageUnsaved { .. }
            | UserFact::ConversationsPinned { .. } => {}
        }
    }

    /// The ways by which a message of this author is told. In SMS mode the device that asked for it
    /// stays silent; messages of bots are not worth an SMS (see decisions).
    pub(super) fn routes(
        &self,
        author: &Author,
        stream: StreamId,
        now: Timestamp,
    ) -> impl Iterator<Item = NoticeRoute<'_>> {
        let mode = self.sms.as_ref().filter(|mode| now < mode.until);
        let is_person = matches!(author, Author::Member(_));
        let is_over = self.guest.is_some_and(|guest| guest.has_ended(now));
        let phone = self.phone.as_ref().filter(|_| mode.is_some() && is_person && !is_over);
        let silent = mode.and_then(|mode| mode.registration_id.as_deref());
        let devices = self.devices.iter().filter(move |device| Some(&*device.id) != silent);
        let devices = devices.filter(move |device| !is_over && device.shows(stream));
        phone.map(NoticeRoute::Sms).into_iter().chain(devices.map(NoticeRoute::Device))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::ids::TokenId;

    const BEN: Author = Author::Member(UserId::new(2));

    fn device(id: &str) -> Device {
        Device {
            id: id.to_owned(),
            endpoint: "https://push.example/".to_owned(),
            key: Vec::new(),
            secret: Vec::new(),
            token: TokenId::new(1),
            since: Timestamp::from_seconds(1),
            scopes: None,
        }
    }

    fn reach(silent: Option<&str>) -> Reach {
        let until = Timestamp::from_seconds(100);
        Reach {
            phone: Phone::parse("+1 555 010 1234").ok(),
            sms: Some(SmsMode { until, registration_id: silent.map(str::to_owned) }),
            devices: vec![device("phone"), device("laptop")],
            ..Reach::default()
        }
    }

    fn names(reach: &Reach, author: &Author, second: u64) -> Vec<String> {
        let stream = StreamId::Group(GroupId::new(1));
        let ways = reach.routes(author, stream, Timestamp::from_seconds(second));
        let name = |way| match way {
            NoticeRoute::Sms(_) => "sms".to_owned(),
            NoticeRoute::Device(device) => device.id.clone(),
        };
        ways.map(name).collect()
    }

    #[test]
    fn in_sms_mode_the_named_device_stays_silent() {
        assert_eq!(names(&reach(Some("phone")), &BEN, 99), ["sms", "laptop"]);
        assert_eq!(names(&reach(None), &BEN, 99), ["sms", "phone", "laptop"]);
    }

    #[test]
    fn sms_mode_expires() {
        assert_eq!(names(&reach(Some("phone")), &BEN, 100), ["phone", "laptop"]);
    }

    #[test]
    fn guest_receives_no_notices_after_the_end() {
        let until = Some(Timestamp::from_seconds(50));
        let guest = Reach { guest: Some(Guest { until }), ..reach(None) };
        assert_eq!(names(&guest, &BEN, 49), ["sms", "phone", "laptop"]);
        assert!(names(&guest, &BEN, 50).is_empty());
    }

    #[test]
    fn bots_are_not_sent_by_sms() {
        let bot = Author::Bot(UserId::new(7));
        assert_eq!(names(&reach(Some("phone")), &bot, 99), ["laptop"]);
    }
}
