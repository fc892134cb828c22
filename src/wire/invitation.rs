//! The invitation that a share URL opens, in JSON, for everybody who has the URL.

use schemars::JsonSchema;
use serde::Serialize;

use crate::instance::Instance;
use crate::join_request::{self, QuestionResource};
use crate::schema::scalars::TextId;
use domain::group::Group;
use domain::ids::UserId;
use domain::text::{Description, GroupName, Nickname};

/// An invitation to a group.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Invitation<'a> {
    /// The group to which the user is invited.
    group: SharedSettings<'a>,
    /// The member who invites: the one named by `from`, otherwise the one who made the invite, or the
    /// owner.
    invited_by: Inviter<'a>,
    /// True if somebody without an account becomes a guest who registers with this link as
    /// `invite`; absent otherwise.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub guest: bool,
}

/// The part of a group that is shown to people who are not in it.
#[derive(Debug, Serialize, JsonSchema)]
struct SharedSettings<'a> {
    /// The group's id.
    id: TextId,
    /// The group's name.
    name: &'a GroupName,
    /// What the group is about; null if it has no description.
    description: &'a Option<Description>,
    /// URL of the group's picture; null if it has none.
    image_url: Option<String>,
    /// Number of members.
    members_count: usize,
    /// Whether people who join by the link wait for the owner or an admin.
    requires_approval: bool,
    /// Whether people who ask to join answer a question.
    show_join_question: bool,
    /// The question; null if there is none.
    join_question: Option<QuestionResource<'a>>,
}

/// The member who invites.
#[derive(Debug, Serialize, JsonSchema)]
struct Inviter<'a> {
    /// The member's user id.
    user_id: TextId,
    /// The member's nickname in the group.
    nickname: &'a Nickname,
    /// URL of the member's picture; null if they have none.
    image_url: Option<String>,
}

impl<'a> Invitation<'a> {
    /// Builds the invitation to a group. The first of `from` who is a member invites, otherwise the
    /// owner; None if there is no owner.
    pub fn of(
        group: &'a Group,
        from: &[Option<UserId>],
        requires_approval: bool,
        instance: &Instance,
    ) -> Option<Self> {
        let member = from.iter().flatten().find_map(|user| group.member(*user));
        let by = member.or_else(|| group.member(group.creator))?;
        let settings = &group.settings;
        Some(Self {
            group: SharedSettings {
                id: group.id.into(),
                name: &settings.name,
                description: &settings.description,
                image_url: settings.image.as_ref().map(|image| instance.image_url(image)),
                members_count: group.members.len(),
                requires_approval,
                show_join_question: settings.admission.shows_question,
                join_question: join_request::question(&settings.admission),
            },
            invited_by: Inviter {
                user_id: by.user_id.into(),
                nickname: &by.nickname,
                image_url: by.image.as_ref().map(|image| instance.image_url(image)),
            },
            guest: false,
        })
    }
}
