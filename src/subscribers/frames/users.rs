//! Frames of facts of a user.

use crate::frames::{FrameData, Numbered};
use domain::event::Fact;
use domain::ids::{StreamId, UserId};
use domain::user::{Block, ConversationList, ReadMark, UserFact};
use wire::confidential::ReportData;
use wire::conversation_list::ConversationListResource;
use wire::instance::Instance;
use wire::live::{MessageRequestData, ReadData};
use wire::saved::SavedData;
use wire::{block, chat, draft, notices, user};

/// The frame data of a user's own fact for that user; `None` for facts without a frame.
pub(super) fn show(
    id: UserId,
    fact: &UserFact,
    numbered: &Numbered<'_>,
    instance: &Instance,
) -> Option<FrameData> {
    match fact {
        UserFact::ProfileChanged { .. } | UserFact::SmsModeOn(_) | UserFact::SmsModeOff => {
            let shown =
                user::resource(numbered.state.account.as_ref()?, numbered.event.at, instance);
            Some(FrameData::new("user.update", &shown))
        }
        UserFact::Blocked { other } => {
            let block = Block { by: id, other: *other, at: numbered.event.at };
            Some(FrameData::new("block.create", &block::resource(&block)))
        }
        UserFact::Unblocked { other, since } => {
            let block = Block { by: id, other: *other, at: *since };
            Some(FrameData::new("block.delete", &block::resource(&block)))
        }
        UserFact::ReadUpTo(mark) => Some(read(mark)),
        UserFact::Drafted { conv, draft: kept } => {
            Some(FrameData::new("draft", &draft::resource(*conv, kept, instance)))
        }
        UserFact::LevelSet { conv, level } => {
            Some(FrameData::new("notifications", &notices::level(*conv, *level)))
        }
        UserFact::ChatMuted { .. } | UserFact::TopicMuted { .. } => {
            let (conv, until) = fact.muted()?;
            Some(FrameData::new("mute", &notices::Mute::until(conv, until)))
        }
        UserFact::RequestChanged { chat, change } => {
            let data = MessageRequestData::of(chat.other(id)?, *change);
            Some(FrameData::new("message_request.update", &data))
        }
        UserFact::ListArranged { pinned, folders } => {
            let list = ConversationList { pinned: pinned.clone(), folders: folders.clone() };
            Some(FrameData::new("conversation_list", &ConversationListResource::of(&list)))
        }
        UserFact::MessageSaved(saved) => {
            Some(FrameData::new("message.saved", &SavedData::saved(saved)))
        }
        UserFact::MessageUnsaved { conv, message } => {
            Some(FrameData::new("message.unsaved", &SavedData::unsaved(*conv, *message)))
        }
        UserFact::AllMuted { until } => {
            Some(FrameData::new("mute_all", &notices::AllMuted::until(*until)))
        }
        UserFact::ReportResolved { report } => {
            Some(FrameData::new("report.resolved", &ReportData::resolved(*report)))
        }
        UserFact::Registered { .. }
        | UserFact::TokenIssued(_)
        | UserFact::TokenRevoked { .. }
        | UserFact::DeviceAdded(_)
        | UserFact::DeviceRemoved { .. }
        | UserFact::TokensRevoked { .. }
        | UserFact::TokenUsed { .. }
        | UserFact::PasswordChanged { .. }
        | UserFact::ApplicationRegistered(_)
        | UserFact::ApplicationsRemoved { .. }
        | UserFact::Deleted
        | UserFact::Disabled
        | UserFact::Enabled
        | UserFact::PictureNamed { .. }
        | UserFact::Mailed(_)
        | UserFact::Factored(_)
        | UserFact::Identified(_)
        | UserFact::Provisioned(_)
        | UserFact::Waits(_)
        | UserFact::Admitted
        | UserFact::DmFromChosen { .. }
        | UserFact::OperatorRoleSet { .. }
        | UserFact::ConversationsPinned { .. } => None,
    }
}

/// How far the user has read a conversation.
fn read(mark: &ReadMark) -> FrameData {
    let conv = StreamId::from(mark.conv).to_string();
    let ReadMark { n, count, is_set_back: set_back, .. } = *mark;
    FrameData::new("read", &ReadData { conv: &conv, n, count, set_back })
}

/// The public profile, as shown to users who have a chat with this one.
pub(super) fn show_public_profile(
    id: UserId,
    numbered: &Numbered<'_>,
    instance: &Instance,
) -> Option<FrameData> {
    let Fact::User(UserFact::ProfileChanged { profile }) = &numbered.event.fact else {
        return None;
    };
    let shown = chat::other_user(id, chat::IdForm::Number, profile, instance);
    Some(FrameData::new("other_user.update", &shown))
}
