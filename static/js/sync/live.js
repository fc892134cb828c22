/**
 * The feed and the snapshot together: what happens elsewhere shows here.
 *
 * Owns loading the snapshot, applying events and loading groups that appear. Leaves the protocol to the push
 * client and the meaning of events to the store. Once it has ended, nothing that comes late changes the state:
 * by then somebody else may be signed in on this page.
 */

import { convOf } from "../app/route.js";
import { markReadByOther, nameless } from "../chats/chats.js";
import { createReading } from "../conversation/reading.js";
import { createTyping } from "../conversation/typing.js";
import { firstPage } from "../groups/groups.js";
import { createPresence } from "../people/presence.js";
import { Push } from "../push.js";
import { topicsOf, withListedTopics } from "../topics/topics.js";
import {
  applyEvent,
  drop,
  fill,
  fillTopic,
  fromSync,
  headsOf,
  needsFilling,
  patch,
  withMore,
} from "./store.js";

/** Begins the names of what moderators and those concerned hear of a group. */
const CONFIDENTIAL = "m:";

/** Events after which their author no longer counts as typing. */
const SAID = new Set(["line.create", "direct_message.create"]);

/** The feed's address for a page served from `origin`. */
export const pushUrl = (/** @type {string} */ origin) => `${origin.replace(/^http/, "ws")}/v3/push`;

/**
 * By how many conversations a further page of the snapshot overlaps what is loaded: as many may end between two
 * requests without one being missed.
 */
const OVERLAP = 10;

/** How long after a failure it is tried again to load a group, names or the rest of a snapshot. */
const AGAIN_MS = 5_000;

/** How long the snapshot may take before the copy kept on this device is shown. */
const SOON_MS = 2_000;

/**
 * Waits for an answer, and calls `onAbsent` if it takes longer than `SOON_MS`, and if it fails.
 * @template Answer
 * @param {Promise<Answer>} answer
 * @param {() => void} onAbsent
 */
async function patiently(answer, onAbsent) {
  const timer = setTimeout(onAbsent, SOON_MS);
  try {
    return await answer;
  } catch (error) {
    onAbsent();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/**
 * @param {object} parts
 * @param {import("./api.js").Api} parts.api
 * @param {import("./state.js").StateHolder} parts.state
 * @param {string} parts.token
 * @param {string} parts.url
 * @param {() => void} parts.onAbsent called when the snapshot fails to load or takes long
 * @param {(sync: import("./types.js").Sync) => void} parts.onLoaded called after each snapshot, the first and later ones
 * @param {() => void} parts.onMore called after conversations that did not fit into a snapshot were loaded
 * @param {() => void} parts.onLive called when all missed events have been received
 * @param {(why: string) => void} parts.onEnd
 * @param {(before: Snapshot, event: Event) => void} parts.onEvent gets an event and the snapshot that it changed
 */
export function createLive(parts) {
  const { api, state, token, url, onAbsent, onLoaded, onMore, onLive, onEnd, onEvent } = parts;
  /** The transports for networks that let no WebSocket through. @type {import("../push.js").Socket[]} */
  const fallbacks = [];
  async function loadFallbacks() {
    const http = await import("../push_http.js").catch(() => null);
    if (http && fallbacks.length === 0) fallbacks.push(http.StreamFeed, http.PollFeed);
  }
  const push = new Push({
    url,
    token,
    fallbacks,
    async load() {
      const sync = await patiently(api.sync(convOf(state.get().route)?.slice(2)), onAbsent);
      // Somebody signed out meanwhile: the page must not show this account again.
      if (isOver()) throw new Error("the feed has ended");
      const snapshot = fromSync(sync, state.get().snapshot);
      rest = restOf(sync);
      own.set({ snapshot, phase: "in" });
      onLoaded(sync);
      if (sync.more_blocks) {
        // Loaded after the snapshot is shown; changes from here on come as events.
        const blocked = await api.blocked(sync.user.id);
        own.update((old) => ({ ...old, blocked }));
      }
      return { c: sync.c, heads: headsOf(snapshot), user: sync.user.id };
    },
    onEvent(pushed) {
      const before = state.get().snapshot;
      if (!before) return;
      const event = { n: 0, ...pushed };
      if (event.conv.startsWith(CONFIDENTIAL)) {
        onEvent(before, { ...event, conv: `g:${event.conv.slice(CONFIDENTIAL.length)}` });
        return;
      }
      own.update((snapshot) => applyEvent(snapshot, event));
      reading.came(event.conv);
      if (event.type === "read" && event.data.set_back) reading.setBack(event.data.conv);
      else if (event.type === "read") reading.heard(event.data.conv, event.data.n);
      if (SAID.has(event.type)) typing.stops(event.conv, event.data.user_id);
      onEvent(before, event);
      const now = state.get().snapshot?.conversations ?? {};
      for (const conv of convsOf(before, event)) {
        if (now[conv]) continue;
        push.forget(conv);
        rest.gone.add(conv);
      }
      const known = now[event.conv];
      if (known && (known.filling || known.other?.name === "")) fillSoon();
    },
    onEphemeral({ conv, type, data }) {
      const { user_id: user } = data;
      if (type === "typing") typing.hears(conv, user, data.until);
      if (type === "presence") presence.hears(conv, user, data.online);
      if (type === "receipt") own.update((old) => markReadByOther(old, conv, { user, n: data.n }));
    },
    onHeard: () => state.get().cut === "failed" && state.set({ cut: "" }),
    onState(connection, { why }) {
      // Unlike everything else, that it has ended is told after its end.
      state.set({ connection });
      if (connection === "waiting" || connection === "connecting") presence.forgetAll();
      if (connection === "waiting" && fallbacks.length === 0) loadFallbacks();
      if (connection === "live") {
        fillSoon();
        reading.resume();
        onLive();
      }
      if (connection === "ended" && why && why !== "stopped") onEnd(why);
    },
  });

  const isOver = () => push.state === "ended";
  /** The state, for as long as this feed has not ended; what is changed after that is dropped. */
  const own = {
    ...state,
    /** @type {typeof state.set} */
    set: (changes) => (isOver() ? undefined : state.set(changes)),
    /** @type {typeof state.update} */
    update: (how) => (isOver() ? undefined : state.update(how)),
  };
  const typing = createTyping({
    state: own,
    tell: (conv) => push.typing(conv),
  });
  const presence = createPresence(own);
  const reading = createReading({ api, state: own, push });
  /** The conversations whose ephemeral events are wanted. @type {Set<string>} */
  let watched = new Set();

  /** The last snapshot as far as it is loaded. @type {Rest} */
  let rest = { c: "", left: new Map(), gone: new Set() };
  /** The names of the loads that are running. @type {Set<string>} */
  const underWay = new Set();

  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let again;

  /**
   * Loads groups of which only events are known, missing names and what did not fit into the snapshot. What
   * fails is tried again after a while, and as soon as the feed is live again.
   */
  function fillSoon() {
    const { snapshot } = state.get();
    if (!snapshot) return;
    for (const { conv, group } of needsFilling(snapshot)) once(conv, () => load(conv, group));
    if (nameless(snapshot).length > 0) once("names", loadNames);
    if (snapshot.isPartial) once(`more ${rest.c}`, () => loadMore(rest));
  }

  function once(/** @type {string} */ what, /** @type {() => Promise<void>} */ run) {
    if (underWay.has(what)) return;
    underWay.add(what);
    run()
      .finally(() => underWay.delete(what))
      .catch(fillLater);
  }

  function fillLater() {
    if (again !== undefined) return;
    again = setTimeout(() => {
      again = undefined;
      if (push.state === "live") fillSoon();
    }, AGAIN_MS);
  }

  /** Loads the conversations that did not fit into the snapshot, page by page. */
  async function loadMore(/** @type {Rest} */ mine) {
    for (const [part, known] of mine.left) {
      const skip = Math.max(0, known - OVERLAP);
      const page = await api.syncAfter(part, skip);
      if (mine !== rest || isOver()) return;
      const { groups = [], chats = [], topics = [] } = page;
      own.update((snapshot) => withMore(snapshot, { groups, chats, topics }, mine.gone));
      const count = skip + (page[part]?.length ?? 0);
      mine.left.delete(part);
      // Put at the end of what this loop goes through.
      if (page[`more_${part}`] && count > known) mine.left.set(part, count);
    }
    own.update(({ isPartial: _, ...snapshot }) => snapshot);
    onMore();
  }

  /** Loads the names of people whom I wrote to first on another device. */
  async function loadNames() {
    const chats = await api.chats();
    for (const { last_message: last, other_user: other } of chats) {
      own.update((snapshot) =>
        patch(snapshot, `d:${last.conversation_id}`, (old) => {
          if (old.kind !== "chat") return old;
          return {
            ...old,
            other: {
              ...old.other,
              name: other.name,
              imageUrl: other.avatar_url,
              isGuest: other.kind === "guest",
            },
          };
        }),
      );
    }
  }

  async function load(/** @type {string} */ conv, /** @type {import("./types.js").Group} */ { id, parent }) {
    try {
      await (parent ? loadTopic(parent.id, id) : loadGroup(id));
    } catch (error) {
      if (/** @type {any} */ (error)?.status !== 404) throw error;
      // It may have turned out to be a topic meanwhile, which is loaded in another way.
      const isTopic = !parent && state.get().snapshot?.conversations[conv]?.group?.parent;
      if (isTopic) throw error;
      own.update((snapshot) => drop(snapshot, conv));
    }
  }

  async function loadGroup(/** @type {string} */ id) {
    const [group, page, topics] = await Promise.all([api.group(id), firstPage(api, id), api.topics(id)]);
    own.update((snapshot) => withListedTopics(fill(snapshot, group, page), topics));
    fillSoon();
  }

  async function loadTopic(/** @type {string} */ parent, /** @type {string} */ id) {
    const [topic, page] = await Promise.all([api.topic(parent, id), firstPage(api, id)]);
    own.update((snapshot) => fillTopic(snapshot, topic, page));
  }

  return {
    start: () => push.start(),
    stop: () => push.stop(),
    poke: () => push.poke(),
    /** A request got no answer: until the feed receives something, the page counts as cut off. */
    doubt() {
      if (push.state !== "live" || state.get().cut) return;
      own.set({ cut: "failed" });
      push.poke();
    },
    /** Reconnects at once if the feed waits to reconnect; called when a message is sent or went through. */
    wake: () => state.get().connection === "waiting" && push.poke(),
    typing,
    reading,

    /**
     * Subscribes to typing, presence and read receipts of these conversations, and unsubscribes from all
     * others.
     */
    watch(/** @type {string[]} */ convs) {
      const wanted = new Set(convs);
      const no = [...watched].filter((conv) => !wanted.has(conv));
      const more = convs.filter((conv) => !watched.has(conv));
      watched = wanted;
      if (no.length > 0) push.unsub(no);
      for (const conv of no) presence.forget(conv);
      if (more.length > 0) push.sub(more);
    },
  };
}

/**
 * What the snapshot with the cursor `c` left out: of which lists, each with the number of its entries that are
 * loaded. `gone` are the conversations that ended since.
 * @typedef {{ c: string, left: Map<"groups" | "chats" | "topics", number>, gone: Set<string> }} Rest
 */

/** @returns {Rest} */
function restOf(/** @type {import("./types.js").Sync} */ sync) {
  const left = new Map();
  if (sync.more_groups) left.set("groups", sync.groups.length);
  if (sync.more_chats) left.set("chats", sync.chats?.length ?? 0);
  if (sync.more_topics) left.set("topics", sync.topics?.length ?? 0);
  return { c: sync.c, left, gone: new Set() };
}

/** The conversations that an event may end: its own, and the topics of a group. */
const convsOf = (/** @type {Snapshot} */ before, /** @type {Event} */ { conv }) => [
  conv,
  ...topicsOf(before, conv).map((topic) => topic.conv),
];

/** @typedef {import("./types.js").Snapshot} Snapshot */
/** @typedef {import("./types.js").Event} Event */
/** @typedef {ReturnType<typeof createLive>} Live */
