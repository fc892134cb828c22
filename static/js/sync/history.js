/**
 * Loads messages that are not loaded yet: page by page while somebody scrolls, and around a message that was
 * jumped to, however far up it stands.
 *
 * Owns which page is asked for, and that each request runs once at a time.
 */

import { isChat } from "../chats/chats.js";
import { homeId } from "../topics/topics.js";
import { seenNow, withNewerPast, withOlderPast, withoutPast, withPast } from "./past.js";
import { addOlder, convOfGroup, patch, withMembersOf } from "./store.js";

/** The most messages in one page of the server. */
const PAGE = 100;

/** @typedef {import("./types.js").Conversation} Conversation */
/** @typedef {import("./types.js").Message} Message */

/**
 * @param {object} parts
 * @param {Pick<import("./api.js").Api, "messages" | "directMessages" | "group">} parts.api
 * @param {import("./state.js").StateHolder} parts.state
 */
export function createHistory({ api, state }) {
  /** The requests that are running, by conversation and direction. @type {Set<string>} */
  const underWay = new Set();

  const known = (/** @type {string} */ conv) => state.get().snapshot?.conversations[conv];

  /** One page of messages of a group or a chat. @returns {Promise<Message[]>} */
  const page = (
    /** @type {Conversation} */ { conv, other },
    /** @type {{ beforeId?: string, afterId?: string, limit: number }} */ which,
  ) => (isChat(conv) ? api.directMessages(other?.id ?? "", which) : api.messages(conv.slice(2), which));

  async function once(/** @type {string} */ what, /** @type {() => Promise<void>} */ run) {
    if (underWay.has(what)) return;
    underWay.add(what);
    await run().finally(() => underWay.delete(what));
  }

  /**
   * Loads a page of older messages. The server may return fewer at a time, so that several requests are
   * needed. The conversation is complete once a page is empty, or once as many messages are loaded as there
   * are.
   */
  async function loadPages(/** @type {Conversation} */ conversation) {
    const { conv, past } = conversation;
    let beforeId = seenNow(conversation).messages[0]?.id;
    for (let left = PAGE; left > 0; ) {
      const older = await page(conversation, { beforeId, limit: left });
      const before = beforeId;
      state.update((snapshot) =>
        past
          ? patch(snapshot, conv, (old) => withOlderPast(old, older, before))
          : addOlder(snapshot, conv, older, before),
      );
      const now = known(conv);
      if (older.length === 0 || !now || seenNow(now).complete) return;
      beforeId = older[older.length - 1].id;
      left -= older.length;
    }
  }

  /** Loads the members of a group that came without them. If that fails, the next page tries again. */
  async function loadMembers(/** @type {Conversation} */ { kind, group }) {
    if (kind !== "group" || group.members) return;
    const id = homeId(group);
    const { members } = await api.group(id);
    state.update((snapshot) => withMembersOf(snapshot, convOfGroup(id), members ?? []));
  }

  return {
    /** Loads the messages before the first one that is shown. */
    older: (/** @type {string} */ conv) =>
      once(`${conv} older`, async () => {
        const conversation = known(conv);
        if (!conversation || seenNow(conversation).complete || conversation.copied) return;
        // Not awaited: loading thousands of members must not delay the messages.
        once(`${conv} members`, () => loadMembers(conversation)).catch(() => {});
        await loadPages(conversation);
      }),

    /**
     * Loads a page after the last message of the stretch that was jumped to; does nothing without a stretch.
     */
    newer: (/** @type {string} */ conv) =>
      once(`${conv} newer`, async () => {
        const conversation = known(conv);
        const afterId = conversation?.past?.messages.at(-1)?.id;
        if (!conversation || !afterId) return;
        const newer = await page(conversation, { afterId, limit: PAGE });
        state.update((snapshot) =>
          patch(snapshot, conv, (old) =>
            // No message is newer: those kept as the newest were deleted, or the stretch ends with the
            // newest.
            newer.length === 0 ? withoutPast(old) : withNewerPast(old, newer, afterId),
          ),
        );
      }),

    /** Loads a message that was jumped to, and those around it. Returns whether the message exists. */
    async around(/** @type {string} */ conv, /** @type {string} */ id) {
      const conversation = known(conv);
      if (!conversation || !/^[0-9]+$/.test(id)) return false;
      const beforeId = String(BigInt(id) + 1n);
      const [older, newer] = await Promise.all([
        page(conversation, { beforeId, limit: PAGE }),
        page(conversation, { afterId: id, limit: PAGE }),
      ]);
      if (older[0]?.id !== id) return false;
      state.update((snapshot) => patch(snapshot, conv, (old) => withPast(old, [...older, ...newer])));
      return true;
    },

    /** Shows the newest messages again, in place of the stretch that was jumped to. */
    toNewest: (/** @type {string} */ conv) =>
      state.update((snapshot) => (known(conv)?.past ? patch(snapshot, conv, withoutPast) : snapshot)),
  };
}
