/**
 * The lines of the open conversation, and the place the reader is at.
 *
 * Owns scrolling: at the end it stays at the end, above it nothing moves under the
 * reader, and coming near an edge shows more. A conversation with something unread opens
 * at the first of it; only what was seen to the end counts as read.
 */

import { h, reconcile, rowOf, setText } from "../dom.js";
import { icon } from "../icons.js";
import { firstUnread } from "../log.js";
import { compareIds, find } from "../messages.js";
import { seenNow } from "../past.js";
import { dayKey } from "../time.js";
import { t } from "../words.js";
import { createEndHold } from "./end_hold.js";
import { createMessageControls } from "./message_controls.js";
import { drawRow } from "./message_row.js";
import { createPlaceKeeper } from "./place_keeper.js";
import { createTimelineActs } from "./timeline_acts.js";
import { beginning, NOWHERE, notFound } from "./timeline_place.js";
import { rowsOf } from "./timeline_rows.js";
import { createTimelineTop } from "./timeline_top.js";
import { AT_END, around, bounds, settled, withNewer, withOlder } from "./timeline_window.js";

/** @typedef {import("../types.js").Conversation} Conversation */
/** @typedef {import("./timeline_place.js").Place} Place */

const NEAR_END_PX = 60;
const NEAR_EDGE_PX = 400;
/** As far back as the first unread message is looked for; beyond, reading begins here. */
const UNREAD_MOST = 200;
/** How much of what was read before is seen above the first unread message. */
const READ_ABOVE = 0.25;

/** Shows which line is meant, to those who see and to those who listen. */
function point(/** @type {HTMLElement} */ line) {
  line.tabIndex = -1;
  line.focus({ preventScroll: true });
  line.classList.add("line-meant");
}

export function createTimeline(
  /** @type {import("../app.js").App} */ app,
  /** @type {Pick<import("./message_menu.js").Acts, "answer" | "about">} */ acts,
) {
  const top = createTimelineTop(app, () => older());
  const lines = h("ol", { class: "lines" });
  const controls = createMessageControls(lines);
  const below = h("p", { class: "timeline-top quiet", hidden: true }, t("Loading newer messages…"));
  const content = h("div", { class: "timeline-content" }, top.node, lines, below);
  const scroller = h(
    "div",
    {
      class: "timeline",
      // The announcer says what is new; two at it would say it twice.
      role: "log",
      "aria-live": "off",
      "aria-label": t("Messages"),
      tabindex: "0",
      onscroll: scrolled,
      onkeydown: pressed,
    },
    content,
  );
  const keeper = createPlaceKeeper(scroller, lines);
  const end = createEndHold(scroller, () => !isStale);
  const jumpWord = h("span");
  const jump = h(
    "button",
    { class: "jump", type: "button", "aria-label": t("Jump to the newest message"), onclick: jumpToEnd },
    jumpWord,
    icon("down"),
  );
  const node = h("div", { class: "timeline-place" }, scroller, jump);

  /** @type {Conversation | null} */
  let shown = null;
  let me = "";
  /** @type {Place} */
  let place = NOWHERE;
  /** Where one was in conversations that are not open now. @type {Map<string, Place>} */
  const places = new Map();
  let shownDay = "";
  /** What is shown is not what the place says. */
  let isStale = false;
  /** To which message the page's address led last. */
  let led = "";
  /** Whether it was asked for already. */
  let isAsked = false;
  /** Everything that is known of what is shown. @type {Conversation | null} */
  let whole = null;
  /** Set while the last attempt to load an older page failed. */
  let olderFailed = false;

  function redraw() {
    isStale = true;
    app.state.touch();
  }

  const actions = createTimelineActs(app, acts, () => shown);

  function show(/** @type {Conversation} */ now, /** @type {string} */ user, /** @type {string} */ goal) {
    const isSame = shown?.conv === now.conv && shown.copied === now.copied;
    const before = isSame ? shown : null;
    const knownBefore = isSame ? whole : null;
    me = user;
    if (!before) open(now);
    const conversation = seenNow(now);
    shown = conversation;
    whole = now;
    lead(goal);
    if (knownBefore?.past && !now.past) returnTo(now);
    const today = dayKey(Date.now() / 1000);
    if (before === conversation && today === shownDay && !isStale) return settle();
    shownDay = today;
    isStale = false;
    if (knownBefore) noticeNews(knownBefore, now);
    if (place.landing && place.goal) seekGoal(conversation);
    else if (place.landing) seek(conversation);
    draw(conversation);
    settle();
  }

  function open(/** @type {Conversation} */ conversation) {
    leave();
    const kept = places.get(conversation.conv);
    place = kept && !kept.atEnd ? kept : beginning(conversation);
    keeper.set(place.stood);
    olderFailed = false;
  }

  /** The page's address leads to a message, or no longer. */
  function lead(/** @type {string} */ goal) {
    if (goal === led) return;
    led = goal;
    if (goal === "") return;
    place = { ...place, goal, landing: true, atEnd: false };
    isAsked = olderFailed = false;
    isStale = true;
    if (shown) app.hold(shown.conv, true);
  }

  /** What is read further up was let go, since something there may have changed: it is loaded anew. */
  function returnTo(/** @type {Conversation} */ { messages }) {
    const row = keeper.get().find(({ key }) => /^[0-9]+$/.test(key));
    if (place.atEnd || !row || find(messages, row.key)) return;
    place = { ...place, goal: row.key, landing: true };
    isAsked = false;
    isStale = true;
  }

  function leave() {
    if (!shown) return;
    led = "";
    places.set(shown.conv, { ...place, landing: false, goal: "", stood: keeper.get() });
    if (place.atEnd) app.hold(shown.conv, false);
    shown = whole = null;
    follow();
  }

  /** What comes at the end is seen as it comes, while somebody is there. */
  function follow() {
    const sees = place.atEnd && !place.landing && document.visibilityState === "visible";
    app.follow(shown && sees ? shown.conv : "");
  }

  /** What came while nobody looked is marked, and shown first once somebody does. */
  function noticeNews(/** @type {Conversation} */ before, /** @type {Conversation} */ now) {
    const newest = now.messages.at(-1);
    if (!newest || newest.id === before.messages.at(-1)?.id || newest.user_id === me) return;
    if (!place.atEnd) {
      place.newSince = true;
      place.unreadFrom ??= firstUnread(now, me);
    } else if (document.visibilityState !== "visible" && !place.landing) {
      place.landing = true;
      place.unreadFrom = null;
    }
  }

  /** Finds the message that somebody is led to, or has it loaded with what stands around it. */
  function seekGoal(/** @type {Conversation} */ { conv, messages, complete, copied, past }) {
    const { goal } = place;
    if (find(messages, goal)) {
      place.window = around(messages, goal);
      return;
    }
    const mayBeThere = past || (messages.length > 0 && compareIds(goal, messages[0].id) < 0 && !complete);
    if (mayBeThere && !copied && !isAsked) {
      isAsked = true;
      content.classList.add("timeline-seeking");
      ask(app.history.around(conv, goal));
      return;
    }
    if (content.classList.contains("timeline-seeking")) return;
    place = { ...place, goal: "", ...(past ? {} : { window: AT_END, atEnd: true }) };
    endLanding();
    app.complain(notFound(copied));
  }

  /** Looks again once what was asked for is there, or is known not to be. */
  async function ask(/** @type {Promise<unknown>} */ asking) {
    const conv = shown?.conv;
    await asking.catch(() => {});
    if (shown?.conv !== conv) return;
    content.classList.remove("timeline-seeking");
    redraw();
  }

  /** Finds the first unread message, or has more loaded to find it in. */
  function seek(/** @type {Conversation} */ conversation) {
    const { messages, unread, complete } = conversation;
    const wanted = Math.min(unread, UNREAD_MOST);
    const found = firstUnread({ ...conversation, unread: wanted }, me);
    if (!found && !complete && !olderFailed && unread > 0) {
      content.classList.add("timeline-seeking");
      older();
      return;
    }
    place.unreadFrom = found ?? (unread > 0 ? (messages[0]?.id ?? null) : null);
    if (place.unreadFrom) place.window = around(messages, place.unreadFrom);
    else endLanding();
  }

  function draw(/** @type {Conversation} */ conversation) {
    const { messages } = conversation;
    place.window = settled(messages, place.window, place.atEnd);
    const { from, to } = bounds(messages, place.window);
    below.hidden = !conversation.past || to < messages.length;
    const rows = rowsOf(conversation, me, Date.now() / 1000, { from, to, unreadFrom: place.unreadFrom });
    const build = (/** @type {(typeof rows)[number]} */ row) => () => {
      const line = drawRow(row, actions);
      line.dataset.key = row.key;
      return line;
    };
    const hadFocus = lines.contains(document.activeElement);
    controls.around(() =>
      reconcile(
        lines,
        rows.map((row) => ({ key: row.key, sign: "label" in row ? row.label : row, build: build(row) })),
        redraw,
      ),
    );
    // What had the focus is out of the page: the keys go on scrolling.
    if (hadFocus && document.activeElement === document.body) scroller.focus({ preventScroll: true });
    const isWhole = from === 0 && conversation.complete;
    content.classList.toggle("timeline-silent", top.show(conversation, { isWhole, from, olderFailed }));
    putBack(conversation);
  }

  /** Everything drawn, the reader is where they were, or where they are to be. */
  function putBack(/** @type {Conversation} */ { messages }) {
    const wanted = place.goal ? rowOf(lines, place.goal) : place.unreadFrom;
    const isFound = place.landing && wanted !== null;
    if (isFound && document.visibilityState === "visible") {
      land();
    } else if (place.atEnd && bounds(messages, place.window).to === messages.length) {
      end.go();
    } else {
      keeper.restore();
    }
    keeper.note();
  }

  function endLanding() {
    place.landing = false;
    content.classList.remove("timeline-seeking");
  }

  function land() {
    endLanding();
    const { goal } = place;
    place.goal = "";
    const line = rowOf(lines, goal || "unread");
    if (!line) return;
    if (goal) point(line);
    const offset = line.getBoundingClientRect().top - scroller.getBoundingClientRect().top;
    scroller.scrollTop += offset - scroller.clientHeight * READ_ABOVE;
    look();
  }

  /** Reads from the page whether the end is seen. */
  function look() {
    if (!shown) return;
    const { messages } = shown;
    const left = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight;
    const wasAtEnd = place.atEnd;
    const isLast = bounds(messages, place.window).to === messages.length && !shown.past;
    place.atEnd = left < NEAR_END_PX && isLast;
    if (place.atEnd) place.newSince = false;
    if (place.atEnd !== wasAtEnd) app.hold(shown.conv, !place.atEnd);
  }

  /** What follows from where the reader is now. */
  function settle() {
    if (!shown) return;
    const hasNews = place.newSince && !place.atEnd;
    jump.hidden = place.atEnd;
    jump.classList.toggle("jump-new", hasNews);
    setText(jumpWord, hasNews ? t("New messages") : "");
    follow();
    if (place.landing) return;
    if (document.visibilityState === "visible") tellSeen(shown);
    showMore(shown);
  }

  /** What has been seen is read: everything, or up to the lowest line that is visible. */
  function tellSeen(/** @type {Conversation} */ conversation) {
    const { conv, messages, unread } = conversation;
    if (place.atEnd) return app.read(conv);
    const id = keeper.lowest();
    if (unread === 0 || !place.unreadFrom || !find(messages, id)) return;
    if (compareIds(id, place.unreadFrom) >= 0) app.seen(conv, id);
  }

  /** Near an edge: more of what is loaded, or more is loaded. */
  function showMore(/** @type {Conversation} */ { conv, messages, complete, past }) {
    const { from, to } = bounds(messages, place.window);
    const below = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight;
    if (scroller.scrollTop < NEAR_EDGE_PX && from > 0) moveTo(withOlder(messages, place.window));
    else if (scroller.scrollTop < NEAR_EDGE_PX && !complete && !olderFailed) older();
    else if (below < NEAR_EDGE_PX && to < messages.length) moveTo(withNewer(messages, place.window));
    else if (below < NEAR_EDGE_PX && past) app.history.newer(conv).catch(() => {});
  }

  function moveTo(/** @type {import("./timeline_window.js").Window} */ window) {
    place.window = window;
    redraw();
  }

  async function older() {
    const conv = shown?.conv ?? "";
    olderFailed = false;
    await app.history.older(conv).catch(() => {
      if (shown?.conv === conv) olderFailed = true;
    });
    if (!olderFailed && !place.landing) return;
    redraw();
  }

  function scrolled() {
    if (!shown || place.landing || end.undoes()) return;
    look();
    keeper.note();
    settle();
  }

  function pressed(/** @type {KeyboardEvent} */ event) {
    if (event.key !== "End" || event.target !== scroller) return;
    event.preventDefault();
    jumpToEnd();
  }

  function jumpToEnd() {
    toEnd();
    moveTo(AT_END);
  }

  function toEnd() {
    place = { ...place, window: AT_END, atEnd: true, newSince: false, landing: false };
    isStale = true;
    if (shown) {
      app.history.toNewest(shown.conv);
      app.hold(shown.conv, false);
    }
    end.begin();
  }

  // The address says already where that link leads: it is followed again all the same.
  document.addEventListener("click", ({ target }) => {
    const link = target instanceof Element ? target.closest("a") : null;
    if (!link || !shown || led === "" || link.href !== location.href) return;
    led = "";
    redraw();
  });
  // Pictures that load, a growing composer and a phone's keyboard all change the height.
  const sizes = new ResizeObserver(() => {
    if (!shown || content.offsetParent === null) return;
    putBack(shown);
  });
  sizes.observe(content);
  sizes.observe(scroller);
  document.addEventListener("visibilitychange", () => {
    follow();
    if (document.visibilityState !== "visible" || !shown) return;
    isStale ||= place.landing;
    app.state.touch();
  });

  return {
    node,
    show,
    hide: leave,
    /** The next line is my own: go to where it will stand. */
    stick() {
      toEnd();
      place.unreadFrom = null;
    },
  };
}
