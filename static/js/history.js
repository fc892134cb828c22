/**
 * Loading what was said before: page by page while somebody reads up, and around a message
 * that somebody is led to, however far up it stands.
 *
 * Owns which page is asked for, and that each is asked for once at a time.
 */

import { isChat } from "./chats.js";
import { seenNow, withNewerPast, withOlderPast, withoutPast, withPast } from "./past.js";
import { addOlder, patch, withMembersOf } from "./store.js";

/** As many messages as the server gives at a time. */
const PAGE = 100;

/** @typedef {import("./types.js").Conversation} Conversation */
/** @typedef {import("./types.js").Message} Message */

/**
 * @param {object} parts
 * @param {Pick<import("./api.js").Api, "messages" | "directMessages" | "group">} parts.api
 * @param {import("./state.js").StateHolder} parts.state
 */
export function createHistory({ api, state }) {
  /** What is on its way, by conversation and direction. @type {Set<string>} */
  const underWay = new Set();

  const known = (/** @type {string} */ conv) => state.get().snapshot?.conversations[conv];

  /** @returns {Promise<Message[]>} */
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
   * Loads as many older messages as belong on a page. The server may give fewer at a time;
   * the last is an answer without any, or with the first of as many as there are.
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

  /** Loads who is in a group that came without its members. What fails comes with the next page. */
  async function loadMembers(/** @type {Conversation} */ { conv, kind, group }) {
    if (kind !== "group" || group.members) return;
    const { members } = await api.group(group.id);
    state.update((snapshot) => withMembersOf(snapshot, conv, members ?? []));
  }

  return {
    /** Loads what stands before the first message that is seen. */
    older: (/** @type {string} */ conv) =>
      once(`${conv} older`, async () => {
        const conversation = known(conv);
        if (!conversation || seenNow(conversation).complete || conversation.copied) return;
        // Thousands of names are no reason to wait for words.
        once(`${conv} members`, () => loadMembers(conversation)).catch(() => {});
        await loadPages(conversation);
      }),

    /** Loads what stands behind the last message that is seen, where that is not the newest. */
    newer: (/** @type {string} */ conv) =>
      once(`${conv} newer`, async () => {
        const conversation = known(conv);
        const afterId = conversation?.past?.messages.at(-1)?.id;
        if (!conversation || !afterId) return;
        const newer = await page(conversation, { afterId, limit: PAGE });
        state.update((snapshot) =>
          patch(snapshot, conv, (old) =>
            // Nothing is newer: what is kept as the newest was removed, or is this.
            newer.length === 0 ? withoutPast(old) : withNewerPast(old, newer, afterId),
          ),
        );
      }),

    /** Loads a message with what stands around it. Whether there is one. */
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

    /** Back to the newest messages. */
    toNewest: (/** @type {string} */ conv) =>
      state.update((snapshot) => (known(conv)?.past ? patch(snapshot, conv, withoutPast) : snapshot)),
  };
}
