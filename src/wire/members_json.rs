//! The JSON of all members of a group. One join changes one member of thousands, so members who did
//! not change are copied from the JSON of before.

use std::sync::Arc;

use crate::instance::Instance;
use crate::membership;
use domain::group::Member;

/// The encoded members of a group, in the order of their ids.
#[derive(Debug)]
pub(super) struct MembersJson {
    /// An array without its closing bracket.
    pub(super) json: Vec<u8>,
    pieces: Vec<Piece>,
    /// How many members were not copied.
    #[cfg(test)]
    encoded: usize,
}

/// The place of one member in the JSON.
#[derive(Debug)]
struct Piece {
    member: Arc<Member>,
    start: usize,
    end: usize,
}

impl MembersJson {
    /// Encodes members, who are in the order of their ids. Those that are the same as in `earlier`
    /// are copied.
    pub(super) fn of<'a>(
        members: impl ExactSizeIterator<Item = &'a Arc<Member>>,
        earlier: Option<&Self>,
        instance: &Instance,
    ) -> Self {
        #[cfg(test)]
        let mut encoded = 0;
        let mut json = Vec::with_capacity(earlier.map_or(0, |earlier| earlier.json.len()) + 1024);
        let mut pieces = Vec::with_capacity(members.len());
        let mut known = earlier.map_or(&[][..], |earlier| &earlier.pieces);
        json.push(b'[');
        for member in members {
            if json.len() > 1 {
                json.push(b',');
            }
            let start = json.len();
            let behind = known.iter().take_while(|it| it.member.user_id < member.user_id);
            known = &known[behind.count()..];
            let same = known.first().filter(|known| Arc::ptr_eq(&known.member, member));
            match earlier.zip(same) {
                Some((earlier, same)) => {
                    json.extend_from_slice(&earlier.json[same.start..same.end]);
                }
                None => {
                    membership::write_member(&mut json, member, instance);
                    #[cfg(test)]
                    (encoded += 1);
                }
            }
            pieces.push(Piece { member: Arc::clone(member), start, end: json.len() });
        }
        Self {
            json,
            pieces,
            #[cfg(test)]
            encoded,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use domain::group::Role;
    use domain::ids::{MembershipId, UserId};
    use domain::text::Nickname;

    fn member(id: u64, nickname: &str) -> (UserId, Arc<Member>) {
        let user_id = UserId::new(id);
        let member = Member {
            membership_id: MembershipId::new(id),
            user_id,
            nickname: Nickname::parse(nickname.to_owned()).unwrap(),
            name: nickname.to_owned(),
            image: None,
            role: Role::Member,
            muted: false,
            mute_ends: None,
            is_guest: false,
        };
        (user_id, Arc::new(member))
    }

    #[test]
    fn join_encodes_one_member_of_thousands() {
        let instance = Instance::new("http://a", "http://a", 7);
        let of = |members: &BTreeMap<_, _>, earlier| {
            MembersJson::of(members.values(), earlier, &instance)
        };
        let mut members: BTreeMap<_, _> = (1..=2000).map(|id| member(2 * id, "Ana")).collect();
        let first = of(&members, None);
        assert_eq!(first.encoded, 2000);
        members.extend([member(1001, "Ben")]);
        let joined = of(&members, Some(&first));
        assert_eq!((joined.encoded, &joined.json), (1, &of(&members, None).json));
        members.remove(&UserId::new(2));
        members.extend([member(4, "Cara")]);
        let changed = of(&members, Some(&joined));
        assert_eq!((changed.encoded, &changed.json), (1, &of(&members, None).json));
        members.clear();
        assert_eq!(of(&members, Some(&changed)).json, b"[");
    }
}
