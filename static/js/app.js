/**
 * What a person can do here, and the state it changes.
 *
 * Owns signing in and out and the acts behind the buttons. Views call these and read
 * the state; they never call the server themselves. Knows nothing of the DOM.
 */

import { createAccountActs } from "./account.js";
import { createApi } from "./api.js";
import { createBotActs } from "./bots.js";
import { createDrafts } from "./drafts.js";
import { isPicture } from "./files.js";
import { createGroupActs } from "./groups.js";
import { createHistory } from "./history.js";
import { createKept } from "./kept.js";
import { createLikes } from "./likes.js";
import { createLive, pushUrl } from "./live.js";
import { createNotices } from "./notices.js";
import { createOffline } from "./offline.js";
import { createOutbox, newGuid } from "./outbox.js";
import { createPeopleActs, withChatAt } from "./people.js";
import { convOf, parseInvitation, parseRoute } from "./route.js";
import { earlySync, forgetToken, savedToken, saveToken } from "./session.js";
import { createState } from "./state.js";
import { fill, hold, listed } from "./store.js";
import { t } from "./words.js";

const RESULT_TRIES = 20;
const RESULT_FIRST_MS = 150;
const RESULT_MOST_MS = 2_000;
/** Chats of which one hears who is here and what they have read. */
const WATCHED_CHATS = 30;

/** @typedef {import("./types.js").Snapshot} Snapshot */
/** @typedef {import("./types.js").Event} Event */
/** @typedef {import("./types.js").Conversation} Conversation */
/** @typedef {import("./types.js").Group} Group */
/** @typedef {import("./types.js").Member} Member */
/** @typedef {{ user_id: string } | { email: string } | { phone_number: string }} Who */

/**
 * @typedef {object} Around what the page stands in
 * @property {string} origin
 * @property {string} path
 * @property {string} hash
 * @property {() => import("./notices.js").Device} device
 * @property {(run: () => void) => void} soon when changes are shown
 */

export function createApp(/** @type {Around} */ { origin, path, hash, device, soon }) {
  const state = createState(beginning(path, hash), soon);
  const api = createApi({ token: savedToken, early: earlySync, onUnauthorized: () => leave(SIGNED_OUT) });
  const complain = (/** @type {string} */ trouble) => state.set({ trouble });
  const kept = createKept(() => localStorage);
  const outbox = createOutbox({ api, state, kept, onSent: () => live?.wake() });
  const drafts = createDrafts({ api, kept, me: () => me(), onHeard: state.touch });
  const offline = createOffline({ state, keep: () => device().keep });
  const bots = createBotActs({ api, state });
  const likes = createLikes({ api, state, complain });
  /** @type {import("./live.js").Live | null} */
  let live = null;
  /** @type {Set<(before: Snapshot, event: Event) => void>} */
  const listeners = new Set();

  function enter(/** @type {string} */ token) {
    state.set({ phase: "starting", notice: "", snapshot: null });
    offline.enter(token);
    live = createLive({
      api,
      state,
      token,
      url: pushUrl(origin),
      onAbsent: () => showCopy(token),
      onLoaded: (sync) => {
        outbox.restore();
        drafts.refresh(sync.more_drafts ? undefined : sync.drafts);
      },
      onLive: () => {
        outbox.retryAll();
        drafts.resume();
        offline.keepClient();
      },
      onEnd: (why) => leave(why === "version" ? OUTDATED : SIGNED_OUT),
      onEvent: (before, event) => {
        bots.hear(event);
        if (event.type === "draft") drafts.heard(event.data);
        for (const listener of listeners) listener(before, event);
      },
    });
    live.start();
  }

  /** Until the server answers, what this device kept is better than nothing. */
  async function showCopy(/** @type {string} */ token) {
    if (state.get().snapshot) return;
    const snapshot = await offline.open(token);
    const isWanted = state.get().phase === "starting" && savedToken() === token;
    if (!snapshot || !isWanted) return;
    state.set({ snapshot, phase: "in" });
    outbox.restore();
  }

  function leave(/** @type {string} */ notice) {
    if (state.get().phase === "out") return;
    live?.stop();
    live = null;
    forgetToken();
    drafts.forget();
    offline.forget();
    state.set({ phase: "out", notice, snapshot: null, connection: "idle", typing: {}, present: {} });
  }

  const me = () => state.get().snapshot?.user.id ?? "";

  /** Leaves for a reason of one's own, whatever the socket said first. */
  function goodbye(/** @type {string} */ notice) {
    leave(notice);
    state.set({ notice });
  }

  function signIn(/** @type {{ access_token: string }} */ { access_token }) {
    saveToken(access_token);
    enter(access_token);
  }

  // What is open is where others' typing is of interest; and chats, wherever one is.
  state.onChange(({ route, snapshot }) => {
    if (!snapshot) return;
    if (route.name === "chat") state.update((old) => withChatAt(old, route.conv));
    const open = snapshot.conversations[convOf(route) ?? ""];
    const chats = listed(snapshot).filter((one) => one.kind === "chat" && one !== open);
    const watched = [...(open ? [open] : []), ...chats.slice(0, WATCHED_CHATS)];
    live?.watch(watched.filter(({ filling, n }) => !filling && n > 0).map(({ conv }) => conv));
  });

  return {
    state,

    /** Called once: goes on with the session of the last visit. */
    start() {
      const token = savedToken();
      if (token) enter(token);
      else offline.forget();
    },

    /** Hears every event from now on. @returns {() => void} which ends it */
    onEvent(/** @type {(before: Snapshot, event: Event) => void} */ listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    navigated: (/** @type {string} */ to) => state.set({ route: parseRoute(to) }),
    networkChanged: () => live?.poke(),

    register: async (/** @type {object} */ form) => signIn(await api.register(form)),
    login: async (/** @type {object} */ form) => signIn(await api.login(form)),

    /** Whether people may create accounts themselves; yes, while the server cannot be asked. */
    registers: () =>
      api.options().then(
        (options) => options.registration !== "closed",
        () => true,
      ),

    /** Leaves at once; a server that cannot be reached keeps the token, this device does not. */
    logout() {
      kept.forget(me());
      const told = api.logout().catch(() => {});
      leave("");
      return told;
    },

    /** @returns {Promise<Group>} */
    async createGroup(/** @type {{ name: string, description?: string }} */ form) {
      const group = await api.createGroup(form);
      state.update((snapshot) => fill(snapshot, group, { messages: [], complete: true }));
      return group;
    },

    searchMessages: api.searchMessages,
    gallery: (
      /** @type {string} */ conv,
      /** @type {import("./search_calls.js").GalleryKind} */ kind,
      /** @type {string} */ before = "",
    ) => api.gallery(conv.slice(2), kind, before),
    /** What bots of a group can be told to do. */
    commands: (/** @type {string} */ conv) => api.commands(conv.slice(2)),
    /** Uploads what a message of this conversation is to carry. @returns {Promise<import("./types.js").Attachment>} */
    async upload(
      /** @type {string} */ conv,
      /** @type {File} */ file,
      /** @type {import("./send_file.js").Way} */ way,
    ) {
      if (isPicture(file)) return { type: "image", url: await api.uploadPicture(file, way) };
      return api.uploadFile(conv.slice(2), file, way);
    },
    /** A link to a file of a conversation, for an hour. */
    fileLink: (/** @type {string} */ conv, /** @type {string} */ file) => api.fileLink(conv.slice(2), file),
    account: createAccountActs(api, goodbye),
    groups: createGroupActs({ api, state }),
    people: createPeopleActs({ api, state }),
    /** Or take that back. */
    like: likes.toggle,
    /** With a sign, or with none any more. */
    react: (/** @type {string} */ conv, /** @type {string} */ id, /** @type {string | null} */ sign) =>
      sign === null ? api.unlike(conv.slice(2), id) : api.react(conv.slice(2), id, sign),
    /** What I chose here last, to react with or to write. */
    recentEmoji: {
      get: () => kept.recentEmoji(me()),
      set: (/** @type {string[]} */ signs) => kept.keepRecentEmoji(me(), signs),
    },
    /** The skin tone of the emoji that I choose here. */
    emojiTone: {
      get: () => kept.emojiTone(me()),
      set: (/** @type {string} */ tone) => kept.keepEmojiTone(me(), tone),
    },
    /** That it changed comes back as an event, to me as to everybody. */
    editMessage: (/** @type {string} */ conv, /** @type {string} */ id, /** @type {string} */ text) =>
      api.editMessage(conv.slice(2), id, text),
    pin: (/** @type {string} */ conv, /** @type {string} */ id, /** @type {boolean} */ isPinned) =>
      api.pin(conv.slice(2), id, isPinned),
    readBy: api.readBy,
    replies: (/** @type {string} */ conv, /** @type {string} */ id) => api.replies(conv.slice(2), id),
    /** What is pinned in a conversation, the newest pin first. */
    pinned: (/** @type {Conversation} */ { group, other }) =>
      group ? api.pinnedInGroup(group.id) : api.pinnedInChat(other?.id ?? ""),
    deleteMessage: (/** @type {string} */ conv, /** @type {string} */ id) =>
      api.deleteMessage(conv.slice(2), id),
    /** What did not work has been read, or there is something to say. */
    complain,
    /** What the share link that was opened leads to; null without one. */
    invited: async () => {
      const { invitation } = state.get();
      return invitation && api.invitation(invitation);
    },
    /** Whether somebody comes for the first time, by a share link. */
    isInvited: () => state.get().notice === INVITED,
    /** The share link has been answered, with yes or no. */
    answered: () => state.set({ invitation: null }),
    notices: createNotices({ api, device }),
    /** Of what I want notices, as the server keeps it. */
    noticeSettings: api,
    polls: api,
    calendar: api,
    bots,

    /** My name, my email address and my phone number, everywhere. */
    async setProfile(/** @type {{ name: string, email: string, phone_number: string }} */ facts) {
      const user = await api.updateUser(facts);
      state.update((snapshot) => ({ ...snapshot, user }));
    },
    /** Whether messages come as SMS, and for how many hours. */
    smsMode: { look: api.me, on: api.smsOn, off: api.smsOff },

    /** My own picture, everywhere. */
    async setAvatar(/** @type {Blob} */ file) {
      const user = await api.updateUser({ avatar_url: await api.uploadPicture(file) });
      state.update((snapshot) => ({ ...snapshot, user }));
    },

    /** That it changed comes back as an event, to me as to everybody. */
    async setGroupPicture(/** @type {string} */ groupId, /** @type {Blob} */ file) {
      await api.updateGroup(groupId, { image_url: await api.uploadPicture(file) });
    },

    /**
     * Adds one person and waits for the outcome.
     * @returns {Promise<Member | null>} null when there is no such account (yet)
     */
    async addMember(/** @type {string} */ groupId, /** @type {string} */ nickname, /** @type {Who} */ who) {
      const guid = newGuid();
      const resultsId = await api.addMembers(groupId, [{ nickname, guid, ...who }]);
      for (let tries = 0; tries < RESULT_TRIES; tries += 1) {
        const members = await api.addResults(groupId, resultsId);
        if (members) return members[0] ?? null;
        const ms = Math.min(RESULT_FIRST_MS * 2 ** tries, RESULT_MOST_MS);
        await new Promise((resolve) => setTimeout(resolve, ms));
      }
      throw new Error(t("This takes longer than usual. The person will appear here once it is done."));
    },

    /** What was said before, and after where somebody was led to. */
    history: createHistory({ api, state }),

    send: /** @type {typeof outbox.send} */ (
      (conv, ...what) => {
        live?.typing.sent(conv);
        live?.wake();
        return outbox.send(conv, ...what);
      }
    ),
    typing: (/** @type {string} */ conv) => live?.typing.tells(conv),
    /** What is written and not sent, by conversation. */
    drafts,
    retry: outbox.retry,
    discard: outbox.discard,
    /** Seen to the end. */
    read: (/** @type {string} */ conv) => live?.reading.all(conv),
    /** Whatever comes there is seen as it comes. */
    follow: (/** @type {string} */ conv) => live?.reading.follow(conv),
    /** Seen up to this message, with more below. */
    seen: (/** @type {string} */ conv, /** @type {string} */ id) => live?.reading.upTo(conv, id),
    /** Somebody reads further up here, or no longer. */
    hold: (/** @type {string} */ conv, /** @type {boolean} */ held) =>
      state.update((snapshot) => hold(snapshot, conv, held)),
  };
}

/** @returns {import("./state.js").State} */
const beginning = (/** @type {string} */ path, /** @type {string} */ hash) => ({
  phase: "out",
  notice: parseInvitation(path) ? INVITED : "",
  snapshot: null,
  connection: "idle",
  route: parseRoute(hash),
  typing: {},
  bots: null,
  present: {},
  invitation: parseInvitation(path),
  trouble: "",
});

const SIGNED_OUT = t("You have been signed out. Log in again to go on.");
const INVITED = t("You are invited to a group. Log in or create an account, and you can join it.");
const OUTDATED = t("The server has been updated. Reload this page to go on.");

/** @typedef {ReturnType<typeof createApp>} App */
