/** What I can do about one other person: open a chat, decide about their message request, block, unblock. */

import { convOfPair, emptyChat, otherIn, personKnown, withRequest } from "../chats/chats.js";
import { block, unblock } from "../sync/store.js";

/** @typedef {import("../sync/types.js").Person} Person */
/** @typedef {import("../sync/types.js").Snapshot} Snapshot */

/** Adds an empty chat with a person, if there is no chat with them. @returns {Snapshot} */
function withChat(/** @type {Snapshot} */ snapshot, /** @type {Person} */ person) {
  const conv = convOfPair(snapshot.user.id, person.id);
  if (snapshot.conversations[conv]) return snapshot;
  const conversations = { ...snapshot.conversations, [conv]: emptyChat(conv, person) };
  return { ...snapshot, conversations };
}

/** Adds an empty chat for an address, if the other person is known. @returns {Snapshot} */
export function withChatAt(/** @type {Snapshot} */ snapshot, /** @type {string} */ conv) {
  const id = otherIn(conv, snapshot.user.id);
  if (!id || id === snapshot.user.id || convOfPair(snapshot.user.id, id) !== conv) return snapshot;
  const person = personKnown(snapshot, id);
  return person ? withChat(snapshot, person) : snapshot;
}

/**
 * @param {{ api: import("../sync/api.js").Api, state: import("../sync/state.js").StateHolder }} parts
 */
export function createPeopleActs({ api, state }) {
  const me = () => state.get().snapshot?.user.id ?? "";

  return {
    /** Adds a chat with somebody to whom I have not written yet, so that it can be opened. */
    meet: (/** @type {Person} */ person) => state.update((snapshot) => withChat(snapshot, person)),

    /** Accepts the message request of a person. */
    async acceptRequest(/** @type {string} */ id) {
      await api.acceptRequest(id);
      state.update((snapshot) => withRequest(snapshot, { other_user_id: id, state: "accepted" }));
    },

    async declineRequest(/** @type {string} */ id) {
      await api.declineRequest(id);
      state.update((snapshot) => withRequest(snapshot, { other_user_id: id, state: "declined" }));
    },

    async block(/** @type {string} */ id) {
      await api.block(me(), id);
      state.update((snapshot) => block(snapshot, id));
    },

    async unblock(/** @type {string} */ id) {
      await api.unblock(me(), id);
      state.update((snapshot) => unblock(snapshot, id));
    },
  };
}

/** @typedef {ReturnType<typeof createPeopleActs>} PeopleActs */
