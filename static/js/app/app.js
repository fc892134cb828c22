/**
 * What a person can do in the client, and the state that it changes.
 *
 * Owns signing in and out and the acts behind the buttons. Views call these and read the state; they never
 * call the server themselves. Knows nothing of the DOM.
 */

import { createAccountActs } from "../account/account.js";
import { isRequest } from "../chats/chats.js";
import { createDrafts } from "../composer/drafts.js";
import { createOutbox, newGuid } from "../composer/outbox.js";
import { createConversationListActs } from "../conversation_list/conversation_list_acts.js";
import { createKept } from "../device/kept.js";
import { createOffline } from "../device/offline.js";
import { isPicture } from "../files/files.js";
import { createGroupActs } from "../groups/groups.js";
import { createPeopleActs, withChatAt } from "../people/people.js";
import { createLikes } from "../reactions/likes.js";
import {
  deviceSecret,
  factorCalls,
  mailHeaders,
  namedCode,
  saveDevice,
  withDeadline,
} from "../security/factor_calls.js";
import { identityCalls, leaveHref } from "../security/identity_calls.js";
import { passkeyCalls } from "../security/passkeys.js";
import { recoveryCalls } from "../sign_in/recovery_calls.js";
import { createRevocations } from "../sign_in/revocations.js";
import {
  earlySync,
  forgetToken,
  savedProvider,
  savedToken,
  saveProvider,
  saveToken,
} from "../sign_in/session.js";
import { ApiError, createApi } from "../sync/api.js";
import { createHistory } from "../sync/history.js";
import { createLive, pushUrl } from "../sync/live.js";
import { createState } from "../sync/state.js";
import { fill, hold, listed } from "../sync/store.js";
import { createThreadDrafts } from "../threads/thread_drafts.js";
import { createTopicActs } from "../topics/topic_acts.js";
import { isTopic } from "../topics/topics.js";
import { t } from "../words/words.js";
import { convOf, parseAccountInvitation, parseInvitation, parseRoute } from "./route.js";

const RESULT_TRIES = 20;
const RESULT_FIRST_MS = 150;
const RESULT_MOST_MS = 2_000;
/** How old what is known of my account may be when the feed is live again. */
const LOOK_MS = 3_600_000;
/**
 * The most chats for which typing, presence and read receipts are subscribed, beside the open conversation.
 */
const WATCHED_CHATS = 30;

/** @typedef {import("../sync/types.js").Snapshot} Snapshot */
/** @typedef {import("../sync/types.js").Event} Event */
/** @typedef {import("../sync/types.js").Conversation} Conversation */
/** @typedef {import("../sync/types.js").Group} Group */
/** @typedef {import("../sync/types.js").Member} Member */
/** @typedef {{ user_id: string } | { email: string } | { phone_number: string }} Who */

/**
 * @typedef {object} Around the page's environment
 * @property {string} origin
 * @property {string} path
 * @property {string} hash
 * @property {import("./page_history.js").Visit} visit
 * @property {() => import("../notices/notices.js").Device} device
 * @property {(run: () => void) => void} soon runs the listeners of the state, when changes are to be drawn
 */

export function createApp(/** @type {Around} */ { origin, path, hash, visit, device, soon }) {
  const state = createState({ ...beginning(path, hash), visit }, soon);
  const api = createApi({
    token: savedToken,
    early: earlySync,
    onUnauthorized: () => leave(SIGNED_OUT),
    onFactorMissing: waitForFactor,
    onUnreached: () => live?.doubt(),
  });
  const complain = (/** @type {string} */ trouble) => state.set({ trouble });
  const kept = createKept(() => localStorage);
  const outbox = createOutbox({ api, state, kept, onSent: () => live?.wake() });
  const drafts = createDrafts({ api, kept, me: () => me(), onHeard: state.touch });
  const conversationList = createConversationListActs({ api, state });
  const threadDrafts = createThreadDrafts({ kept, me: () => me() });
  const revocations = createRevocations({ revoke: api.revoke, storage: () => localStorage });
  const offline = createOffline({ state, keep: () => device().keep });
  const likes = createLikes({ api, state, complain });
  /** @type {import("../sync/live.js").Live | null} */
  let live = null;
  /** @type {Set<(before: Snapshot, event: Event) => void>} */
  const listeners = new Set();
  /** When the server last told what it knows of my account, in milliseconds. */
  let lookedAt = 0;

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
        lookedAt = Date.now();
        outbox.restore();
        drafts.refresh(sync.more_drafts ? undefined : sync.drafts);
        conversationList.refresh(sync.conversation_list);
      },
      onMore: () => outbox.restore(),
      onLive: () => {
        outbox.retryAll();
        drafts.resume();
        conversationList.resume();
        offline.keepClient();
        if (Date.now() - lookedAt > LOOK_MS) look().catch(() => {});
      },
      onEnd: (why) => ended(why, token),
      onEvent: (before, event) => {
        if (event.type === "draft") drafts.heard(event.data);
        if (event.type === "report.resolved")
          state.set({ done: t("The operators of this server looked at your report.") });
        for (const listener of listeners) listener(before, event);
      },
    });
    live.start();
  }

  /** Leaves once the feed has ended for good. */
  async function ended(/** @type {string} */ why, /** @type {string} */ token) {
    // The feed of an account that lacks a second factor ends like this, too; a request says which it is.
    if (why === "scope") {
      await api.me().catch(() => {});
      if (savedToken() !== token || state.get().phase === "factor") return;
    }
    leave(why === "version" ? OUTDATED : SIGNED_OUT);
  }

  /** Stops everything but the account, which lacks the second factor that the server asks for. */
  function waitForFactor() {
    const { phase } = state.get();
    if (phase === "out" || phase === "factor") return;
    live?.stop();
    live = null;
    state.set({ phase: "factor", notice: "", snapshot: null, connection: "idle", typing: {}, present: {} });
  }

  /** Notes until when I have to set up a second factor; null if I need not. */
  const keepDeadline = (/** @type {number | null} */ until) =>
    state.update((snapshot) => {
      const user = withDeadline(snapshot.user, until);
      return user === snapshot.user ? snapshot : { ...snapshot, user };
    });

  /** Keeps my account as the answer to a change shows it, which says nothing about a second factor. */
  const keepUser = (/** @type {import("../sync/types.js").User} */ changed) =>
    state.update((snapshot) => {
      const user = withDeadline(changed, snapshot.user.second_factor?.until ?? null);
      return { ...snapshot, user };
    });

  /** Asks the server about my account. */
  async function look() {
    lookedAt = Date.now();
    const account = await api.me();
    keepDeadline(account.second_factor?.until ?? null);
    return account;
  }

  /** Shows the copy kept on this device while the server has not answered. */
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
    threadDrafts.forget();
    conversationList.forget();
    offline.forget();
    const nothing = /** @type {const} */ ({ snapshot: null, connection: "idle", typing: {}, present: {} });
    state.set({ phase: "out", notice, folder: undefined, foldedTopics: undefined, ...nothing });
  }

  const me = () => state.get().snapshot?.user.id ?? "";

  /** Signs out with a notice of its own, even when the socket already signed out with another one. */
  function goodbye(/** @type {string} */ notice) {
    leave(notice);
    state.set({ notice });
  }

  function signIn(/** @type {{ access_token: string }} */ { access_token }) {
    saveToken(access_token);
    enter(access_token);
  }

  // Subscribes to the ephemeral events of the open conversation and of the newest chats.
  state.onChange(({ route, snapshot }) => {
    if (!snapshot) return;
    if (route.name === "chat") state.update((old) => withChatAt(old, route.conv));
    const open = snapshot.conversations[convOf(route) ?? ""];
    const chats = listed(snapshot).filter((one) => one.kind === "chat" && one !== open);
    const watched = [...(open ? [open] : []), ...chats.slice(0, WATCHED_CHATS)];
    const isWatched = (/** @type {Conversation} */ one) =>
      !one.filling && (one.n > 0 || isTopic(one)) && !isRequest(one);
    live?.watch(watched.filter(isWatched).map(({ conv }) => conv));
  });

  return {
    state,

    /** Called once: resumes the session of the last visit. */
    start() {
      const token = savedToken();
      if (token) enter(token);
      else offline.forget();
      revocations.resume();
    },

    /** Calls the listener for every event from now on. @returns {() => void} removes the listener */
    onEvent(/** @type {(before: Snapshot, event: Event) => void} */ listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    navigated: (/** @type {string} */ to, /** @type {import("./page_history.js").Visit} */ visit) =>
      state.set({ route: parseRoute(to), visit }),
    networkChanged(/** @type {boolean} */ isOnline) {
      state.set({ cut: isOnline ? "" : "offline" });
      live?.poke();
      if (isOnline) outbox.retryAll();
      revocations.resume();
    },

    /** Creates an account. Returns what it waits for; null once signed in. */
    async register(/** @type {object} */ form) {
      const made = await api.register(form);
      if ("waiting" in made) return made.waiting;
      signIn(made);
      return null;
    },
    /** Logs in. Returns a log-in that needs the second factor; null once signed in. */
    async login(/** @type {object} */ form) {
      const device = deviceSecret();
      const answer = await api.login(device ? { ...form, device } : form);
      if ("verification" in answer) return answer.verification;
      signIn(answer);
      return null;
    },
    /**
     * Finishes a log-in with a one-time code, a recovery code or a passkey.
     * @param {string} verification
     * @param {string | import("../security/passkeys.js").ShownPasskey} shown
     * @param {boolean} trust
     */
    async verify(verification, shown, trust) {
      const factor = typeof shown === "string" ? namedCode(shown) : { passkey: shown };
      const answer = await api.verify({ code: verification, ...factor, trust });
      if (answer.device) saveDevice(answer.device);
      signIn(answer);
    },
    factors: factorCalls(api.rest),
    /** Notes whether I still lack the second factor that the server asks for. */
    factorIs: (/** @type {import("../security/factor_calls.js").FactorState} */ { required_until: until }) =>
      keepDeadline(until ?? null),
    /** Starts as usual, once the account has the second factor that it needed. */
    resume() {
      const token = savedToken();
      if (token && state.get().phase === "factor") enter(token);
    },
    passkeys: passkeyCalls(api.rest, mailHeaders),
    /** Logs in with a passkey. */
    logInByPasskey: async () => signIn(await passkeyCalls(api.rest, mailHeaders).logIn()),
    identities: identityCalls(api.rest),
    /**
     * Ends a log-in through a provider. Returns what it still needs; null once signed in.
     * @returns {Promise<import("../security/identity_calls.js").Waiting | null>}
     */
    async arrive(/** @type {{ code: string, password?: string, totp?: string, recovery?: string }} */ body) {
      const answer = await identityCalls(api.rest).finish(body);
      if (!("access_token" in answer)) return answer;
      leave("");
      signIn(answer);
      saveProvider(answer.provider);
      return null;
    },

    /** Makes the first admin of the server, and signs in. */
    setUp: async (/** @type {object} */ form) => signIn(await api.setUp(form)),

    recovery: recoveryCalls(api.rest),
    /** Sets a new password with a link from a mail, and signs in with it. */
    async recover(/** @type {string} */ secret, /** @type {string} */ password) {
      const { email } = await recoveryCalls(api.rest).recover(secret, password);
      leave("");
      const answer = await api.login({ email, password });
      // An account with a second factor logs in on the page for that.
      if (!("verification" in answer)) signIn(answer);
    },
    options: api.options,

    /** Whether anything that the user wrote has not been sent: messages on their way, and drafts. */
    hasUnsent() {
      outbox.forgetArrived();
      return kept.hasUnsent(me()) || outbox.hasUnsent();
    },

    /**
     * Signs out at once. Keeps on this device what the server does not have. The server revokes the token, now
     * or once it can be reached. A log-in with an account of a provider ends there, too.
     */
    async logout() {
      outbox.forgetArrived();
      kept.forgetSent(me());
      const token = savedToken();
      const provider = savedProvider();
      leave("");
      saveProvider(undefined);
      if (token && (await revocations.add(token)) && provider) location.assign(leaveHref(provider));
    },

    /** Creates a group and adds it to the snapshot. @returns {Promise<Group>} */
    async createGroup(/** @type {{ name: string, description?: string }} */ form) {
      const group = await api.createGroup(form);
      state.update((snapshot) => fill(snapshot, group, { messages: [], complete: true }));
      return group;
    },

    searchMessages: api.searchMessages,
    gallery: (
      /** @type {string} */ conv,
      /** @type {import("../search/search_calls.js").GalleryKind} */ kind,
      /** @type {string} */ before = "",
    ) => api.gallery(conv.slice(2), kind, before),
    /** The commands of a group's bots, which do not read its topics. */
    commands: async (/** @type {string} */ conv) =>
      isTopic(state.get().snapshot?.conversations[conv]) ? [] : api.commands(conv.slice(2)),
    /**
     * Uploads a picture or a file that a message of this conversation will carry.
     * @returns {Promise<import("../sync/types.js").Attachment>}
     */
    async upload(
      /** @type {string} */ conv,
      /** @type {File} */ file,
      /** @type {import("../files/send_file.js").Way} */ way,
    ) {
      if (isPicture(file)) return { type: "image", url: await api.uploadPicture(file, way) };
      return api.uploadFile(conv.slice(2), file, way);
    },
    /** A link to a file of a conversation, valid for an hour. */
    fileLink: (/** @type {string} */ conv, /** @type {string} */ file) => api.fileLink(conv.slice(2), file),
    /**
     * Brings a file of one conversation to another one, for a message there.
     * @returns {Promise<import("../sync/types.js").Attachment>}
     */
    async bringFile(
      /** @type {string} */ from,
      /** @type {string} */ to,
      /** @type {import("../sync/types.js").Attachment} */ {
        file_id: id,
        name = "",
        mime_type: type,
        duration,
      },
      /** @type {import("../files/send_file.js").Way} */ way,
    ) {
      const content = await api.fileContent(from.slice(2), String(id));
      const file = new File([content], name, { type: String(type ?? "") });
      const brought = await api.uploadFile(to.slice(2), file, way);
      return duration === undefined ? brought : { ...brought, duration };
    },
    account: createAccountActs(api, goodbye),
    groups: createGroupActs({ api, state }),
    topics: createTopicActs({ api, state }),
    people: createPeopleActs({ api, state }),
    /** Likes a message with a heart, or takes the like back. */
    like: likes.toggle,
    /** Reacts to a message with an emoji; null takes the reaction or like back. */
    react: (/** @type {string} */ conv, /** @type {string} */ id, /** @type {string | null} */ sign) =>
      sign === null ? api.unlike(conv.slice(2), id) : api.react(conv.slice(2), id, sign),
    /** The emoji that I chose on this device most recently, for reactions and in messages. */
    recentEmoji: {
      get: () => kept.recentEmoji(me()),
      set: (/** @type {string[]} */ signs) => kept.keepRecentEmoji(me(), signs),
    },
    /** The skin tone of the emoji that I choose on this device. */
    emojiTone: {
      get: () => kept.emojiTone(me()),
      set: (/** @type {string} */ tone) => kept.keepEmojiTone(me(), tone),
    },
    /** Edits a message. The change comes back as an event, to me as to everybody. */
    editMessage: (/** @type {string} */ conv, /** @type {string} */ id, /** @type {string} */ text) =>
      api.editMessage(conv.slice(2), id, text),
    pin: (/** @type {string} */ conv, /** @type {string} */ id, /** @type {boolean} */ isPinned) =>
      api.pin(conv.slice(2), id, isPinned),
    /** Saves a message for me, or removes it from what I saved. The change comes back as an event. */
    save: (/** @type {string} */ conv, /** @type {string} */ id, /** @type {boolean} */ isSaved) =>
      api.save(conv.slice(2), id, isSaved),
    readBy: api.readBy,
    replies: (/** @type {string} */ conv, /** @type {string} */ id) => api.replies(conv.slice(2), id),
    /** The pinned messages of a conversation, the newest pin first. */
    pinned: (/** @type {Conversation} */ { group, other }) =>
      group ? api.pinnedInGroup(group.id) : api.pinnedInChat(other?.id ?? ""),
    deleteMessage: (/** @type {string} */ conv, /** @type {string} */ id) =>
      api.deleteMessage(conv.slice(2), id),
    /** Shows a message about a failure; an empty text removes it. */
    complain,
    /** Shows that something was done which the page does not show otherwise; an empty text removes it. */
    tell: (/** @type {string} */ done) => state.set({ done }),
    /**
     * Asks the server about the share link that was opened: which group it leads to and who invites. A dead
     * link does not work any more; an unknown one could not be checked.
     * @returns {Promise<import("../groups/group_calls.js").Checked>}
     */
    async checkInvitation() {
      const { invitation } = state.get();
      if (!invitation) return { kind: "dead" };
      try {
        return { kind: "valid", invited: await api.invitation(invitation) };
      } catch (error) {
        const isPassing = !(error instanceof ApiError) || error.passing;
        return isPassing
          ? { kind: "unknown", why: String(/** @type {Error} */ (error).message) }
          : { kind: "dead" };
      }
    },
    /**
     * Asks the server about the operators' invitation that was opened.
     * @returns {Promise<import("../sign_in/registration.js").CheckedInvitation>}
     */
    async checkAccountInvitation() {
      try {
        await api.accountInvitation(state.get().accountInvitation ?? "");
        return { kind: "valid" };
      } catch (error) {
        const isPassing = !(error instanceof ApiError) || error.passing;
        return isPassing
          ? { kind: "unknown", why: String(/** @type {Error} */ (error).message) }
          : { kind: "dead", status: error.status };
      }
    },
    /** Forgets the link that was opened, after I joined or declined, or if it is dead. */
    answered: () => state.set({ invitation: null, accountInvitation: null }),
    /** The calls to the server, and what the browser offers, for parts of the client that are loaded later. */
    api,
    device,

    /** Changes my name, my email address and my phone number. */
    async setProfile(
      /** @type {{ name: string, email?: string, phone_number: string | null, password?: string }} */ facts,
    ) {
      keepUser(await api.updateUser(facts));
    },
    /** SMS mode: whether messages come as SMS, and switching it on for a number of hours. */
    smsMode: { look, on: api.smsOn, off: api.smsOff },

    /** Uploads a picture and makes it my avatar. */
    async setAvatar(/** @type {Blob} */ file) {
      keepUser(await api.updateUser({ avatar_url: await api.uploadPicture(file) }));
    },

    /** Uploads a picture for a group. The change comes back as an event, to me as to everybody. */
    async setGroupPicture(/** @type {string} */ groupId, /** @type {Blob} */ file) {
      await api.updateGroup(groupId, { image_url: await api.uploadPicture(file) });
    },

    /**
     * Adds people and waits for the outcome.
     * @returns {Promise<Member[]>} those who were added: who has no account (yet) is missing
     */
    async addMembers(/** @type {string} */ groupId, /** @type {({ nickname: string } & Who)[]} */ people) {
      const asked = people.map((one) => ({ guid: newGuid(), ...one }));
      const resultsId = await api.addMembers(groupId, asked);
      for (let tries = 0; tries < RESULT_TRIES; tries += 1) {
        const members = await api.addResults(groupId, resultsId);
        if (members) return members;
        const ms = Math.min(RESULT_FIRST_MS * 2 ** tries, RESULT_MOST_MS);
        await new Promise((resolve) => setTimeout(resolve, ms));
      }
      throw new Error(t("This takes longer than usual. The person will appear here once it is done."));
    },

    /** Loads older messages, and those around a message that was jumped to. */
    history: createHistory({ api, state }),

    send: /** @type {typeof outbox.send} */ (
      (conv, ...what) => {
        live?.typing.sent(conv);
        live?.wake();
        return outbox.send(conv, ...what);
      }
    ),
    typing: (/** @type {string} */ conv) => live?.typing.tells(conv),
    /** Text and attachments that are not sent yet, by conversation. */
    drafts,
    threadDrafts,
    /** Changes how the list of conversations is arranged. */
    arrange: conversationList.change,
    /** The folder that is chosen on this device; "" for all conversations. */
    folder: {
      get: () => state.get().folder ?? kept.folder(me()),
      choose(/** @type {string} */ name) {
        kept.keepFolder(me(), name);
        state.set({ folder: name });
      },
    },
    /** The conversations of the groups whose topics the list hides on this device. */
    foldedTopics: {
      get: () => new Set(state.get().foldedTopics ?? kept.foldedTopics(me())),
      /** Hides the topics of a group, or shows them. */
      turn(/** @type {string} */ conv) {
        const before = state.get().foldedTopics ?? kept.foldedTopics(me());
        const folded = before.includes(conv) ? before.filter((one) => one !== conv) : [...before, conv];
        kept.keepFoldedTopics(me(), folded);
        state.set({ foldedTopics: folded });
      },
    },
    retry: outbox.retry,
    discard: outbox.discard,
    /** Marks all messages of a conversation as read. */
    read: (/** @type {string} */ conv) => live?.reading.all(conv),
    /** Marks whatever comes in this conversation as read when it comes; an empty `conv` ends that. */
    follow: (/** @type {string} */ conv) => live?.reading.follow(conv),
    /** Marks a message and all later ones as unread. */
    markUnread: (/** @type {string} */ conv, /** @type {string} */ id) => api.markUnread(conv.slice(2), id),
    /** Marks messages as read up to this one; those after it stay unread. */
    seen: (/** @type {string} */ conv, /** @type {string} */ id) => live?.reading.upTo(conv, id),
    /** Sets whether somebody reads further up, so that no loaded message is let go. */
    hold: (/** @type {string} */ conv, /** @type {boolean} */ held) =>
      state.update((snapshot) => hold(snapshot, conv, held)),
  };
}

/**
 * The state before anybody is signed in.
 * @returns {Omit<import("../sync/state.js").State, "visit">}
 */
const beginning = (/** @type {string} */ path, /** @type {string} */ hash) => ({
  phase: "out",
  notice: "",
  snapshot: null,
  connection: "idle",
  cut: "",
  route: parseRoute(hash),
  typing: {},
  bots: null,
  present: {},
  invitation: parseInvitation(path),
  accountInvitation: parseAccountInvitation(path),
  trouble: "",
  done: "",
});

const SIGNED_OUT = t("You have been logged out. Log in again to continue.");
const OUTDATED = t("The server has been updated. Reload this page to continue.");

/** @typedef {ReturnType<typeof createApp>} App */
