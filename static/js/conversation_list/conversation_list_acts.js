/**
 * What the user changes in the arrangement of their list of conversations.
 *
 * A change shows at once and is taken back if the server refuses it. Owns that one request runs at a time: each
 * replaces whole lists, so it has to be made from what the one before left.
 */

import { changedParts, NOTHING_ARRANGED } from "./conversation_list.js";

/** @typedef {import("./conversation_list.js").ConversationList} ConversationList */
/** @typedef {import("./conversation_list.js").ListChange} ListChange */

/**
 * @param {object} parts
 * @param {Pick<import("../sync/api.js").Api, "conversationList" | "arrangeList">} parts.api
 * @param {import("../sync/state.js").StateHolder} parts.state
 */
export function createConversationListActs({ api, state }) {
  /** Whether the list of the snapshot is that of the server. */
  let isKnown = false;
  /** The request for the list that is running. @type {{ user: string | undefined, done: Promise<void> } | null} */
  let loading = null;
  let turn = Promise.resolve();

  const me = () => state.get().snapshot?.user.id;
  const known = () => state.get().snapshot?.conversationList ?? NOTHING_ARRANGED;

  /**
   * Takes over an answer of the server to the user `user`, unless the list has changed since it was `before`: an event
   * is newer.
   */
  function take(
    /** @type {ConversationList} */ list,
    /** @type {string | undefined} */ user,
    /** @type {ConversationList} */ before,
  ) {
    if (me() === user && known() === before)
      state.update((snapshot) => ({ ...snapshot, conversationList: list }));
  }

  /** Waits for the list of the server, which may be on its way already. */
  function load() {
    if (!loading || loading.user !== me()) loading = begin();
    return loading.done;
  }

  /** Requests the list; the answer to an earlier request is dropped. */
  function begin() {
    const mine = { user: me(), done: Promise.resolve() };
    mine.done = Promise.resolve()
      .then(() => request(mine))
      .finally(() => {
        if (loading === mine) loading = null;
      });
    return mine;
  }

  async function request(/** @type {NonNullable<typeof loading>} */ mine) {
    const before = known();
    const list = await api.conversationList();
    if (loading !== mine) return;
    take(list, mine.user, before);
    isKnown = me() === mine.user;
  }

  async function send(/** @type {ListChange} */ change, /** @type {string | undefined} */ user) {
    try {
      while (!isKnown && me() === user) await load();
      const before = known();
      const parts = changedParts(before, change(before));
      // Another account may be signed in by now.
      if (parts && me() === user) take(await api.arrangeList(parts), user, before);
    } finally {
      state.update((snapshot) => ({
        ...snapshot,
        listChanges: snapshot.listChanges?.filter((other) => other !== change),
      }));
    }
  }

  return {
    /** Takes the list over that came with a snapshot, or loads it. */
    async refresh(/** @type {ConversationList | undefined} */ list) {
      isKnown = list !== undefined;
      loading = null;
      if (list) state.update((snapshot) => ({ ...snapshot, conversationList: list }));
      else await load().catch(() => {});
    },

    /** Loads the list if that failed before. */
    resume: () => (isKnown ? undefined : load().catch(() => {})),

    /** Forgets the account that is signed in no more. */
    forget() {
      isKnown = false;
      loading = null;
    },

    /** Shows a change and sends it. Throws if the server does not take it; then it is no longer shown. */
    change(/** @type {ListChange} */ change) {
      const user = me();
      state.update((snapshot) => ({
        ...snapshot,
        listChanges: [...(snapshot.listChanges ?? []), change],
      }));
      const sent = turn.then(() => send(change, user));
      turn = sent.catch(() => {});
      return sent;
    },
  };
}
