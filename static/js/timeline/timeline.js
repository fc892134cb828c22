/**
 * The messages of the open conversation, and the reader's position in them.
 *
 * Owns scrolling: at the end it stays at the end, above it nothing moves under the reader, and coming near an
 * edge shows more. A conversation with unread messages opens at the first of them; only messages that were
 * visible count as read.
 */

import { openMessageSelection } from "../app/windows.js";
import { MORE } from "../messages/message_bar.js";
import { CONTROL, createMessageControls } from "../messages/message_controls.js";
import { watchGestures } from "../messages/message_gestures.js";
import { HEART } from "../reactions/likes.js";
import { savedIn } from "../saved/saved.js";
import { firstUnread } from "../sync/log.js";
import { compareIds, find, isBy } from "../sync/messages.js";
import { seenNow } from "../sync/past.js";
import { dayKey } from "../text/time.js";
import { h, reconcile, rowOf, setText } from "../ui/dom.js";
import { icon } from "../ui/icons.js";
import { t } from "../words/words.js";
import { createEndHold } from "./end_hold.js";
import { createFloatingDay } from "./floating_day.js";
import { drawRow } from "./message_row.js";
import { createPlaceKeeper } from "./place_keeper.js";
import { createReaderScroll } from "./reader_scroll.js";
import { motionsAfter } from "./row_motion.js";
import { createTimelineActs } from "./timeline_acts.js";
import { beginning, NOWHERE, notFound } from "./timeline_place.js";
import { rowsOf } from "./timeline_rows.js";
import { createTimelineTop } from "./timeline_top.js";
import { AT_END, around, bounds, settled, withNewer, withOlder } from "./timeline_window.js";

/** @typedef {import("../sync/types.js").Conversation} Conversation */
/** @typedef {import("./timeline_place.js").Place} Place */
/** @typedef {import("./timeline_rows.js").MessageRow} MessageRow */

const NEAR_END_PX = 60;
const NEAR_EDGE_PX = 400;
/** How far back the first unread message is looked for; if there are more, reading begins there. */
const UNREAD_MOST = 200;
/** The part of the view above the first unread message that shows messages read before. */
const READ_ABOVE = 0.25;

/** How many messages are new; empty if none is. */
function newsInWords(/** @type {number} */ count) {
  if (count === 0) return "";
  return count === 1 ? t("1 new message") : t("{missed} new messages", { missed: count });
}

/** Lets a row that was drawn move as it should. */
function move(
  /** @type {HTMLElement} */ line,
  /** @type {import("./row_motion.js").Motion} */ { arrives, signs },
) {
  line.classList.toggle("line-arrives", arrives);
  for (const at of signs) line.querySelectorAll(".reaction")[at]?.classList.add("reaction-given");
}

/** Focuses and highlights the message to which the reader was led. */
function point(/** @type {HTMLElement} */ line) {
  line.tabIndex = -1;
  line.focus({ preventScroll: true });
  line.classList.add("line-meant");
}

export function createTimeline(
  /** @type {import("../app/app.js").App} */ app,
  /** @type {Pick<import("../messages/message_bar.js").Acts, "answer" | "about">} */ acts,
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
      // Off, since the announcer reads new messages out; otherwise they would be read twice.
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
  const reader = createReaderScroll(scroller);
  const end = createEndHold(scroller, () => !isStale);
  const jumpWord = h("span", { class: "jump-word" });
  const jump = h(
    "button",
    { class: "jump", type: "button", title: t("Jump to the newest message"), onclick: jumpToEnd },
    h("span", { class: "hidden" }, t("Jump to the newest message"), " "),
    jumpWord,
    icon("down"),
  );
  const day = createFloatingDay();
  const node = h("div", { class: "timeline-place" }, scroller, day.node, jump);

  /** @type {Conversation | null} */
  let shown = null;
  let me = "";
  /** @type {Place} */
  let place = NOWHERE;
  /** The positions in conversations that are not open, by conversation. @type {Map<string, Place>} */
  const places = new Map();
  let shownDay = "";
  /** Whether the page has to be drawn again, since it no longer matches `place`. */
  let isStale = false;
  /** The message to which the page's address led last, and the place in the browser's history. */
  let led = "";
  let ledPlace = "";
  /**
   * The positions from which a link led to another message, by the place in the browser's history.
   * @type {Map<string, Place>}
   */
  const earlier = new Map();
  /** The earlier position that is shown once its messages are. @type {Place | null} */
  let returning = null;
  /** Whether the goal's surroundings were requested already. */
  let isAsked = false;
  /** The shown conversation with everything known of it. @type {Conversation | null} */
  let whole = null;
  /** Whether the last attempt to load older messages failed. */
  let olderFailed = false;
  /** The rows that are on the page. @type {ReturnType<typeof rowsOf>} */
  let drawn = [];
  /** Whether they are those of a stretch further up. */
  let isDrawnPast = false;
  /** The ids of the saved messages of the shown conversation. */
  let saved = savedIn(null, "");
  /** The selected messages, while there are any. @type {import("../messages/message_selection.js").Selection | null} */
  let selection = null;

  function redraw() {
    isStale = true;
    app.state.touch();
  }

  const actions = createTimelineActs(app, { ...acts, select, back }, () => shown);
  watchGestures(lines, {
    rowOf: (line) => (selection ? null : rowFor(/** @type {HTMLElement | null} */ (line)?.dataset.key ?? "")),
    open: actions.menu.more,
    answer: acts.answer,
    like: (row) => actions.toggle(row, HEART),
  });

  /** @returns {MessageRow | null} */
  function rowFor(/** @type {string} */ key) {
    const row = drawn.find((one) => one.key === key);
    return row?.kind === "line" ? row : null;
  }

  /** Focuses the button that opens the menu of a message. */
  function back(/** @type {string} */ key) {
    const button = rowOf(lines, key)?.querySelector(`[${CONTROL}="${MORE}"]`);
    if (button instanceof HTMLElement) button.focus({ preventScroll: true });
  }

  function select(/** @type {MessageRow} */ row) {
    const conv = shown?.conv;
    if (!conv) return;
    const attach = (/** @type {typeof selection} */ next) => {
      selection = next;
    };
    openMessageSelection(app, { conv, lines, place: node, rowOf: rowFor, attach, back }, row);
  }

  function show(
    /** @type {Conversation} */ now,
    /** @type {string} */ user,
    /** @type {string} */ goal,
    /** @type {import("../app/page_history.js").Visit} */ visit,
  ) {
    const isSame = shown?.conv === now.conv && shown.copied === now.copied;
    const before = isSame ? shown : null;
    const knownBefore = isSame ? whole : null;
    me = user;
    if (!before) open(now);
    const conversation = seenNow(now);
    shown = conversation;
    whole = now;
    lead(goal, visit);
    if (returning) goBack(returning);
    else if (knownBefore?.past && !now.past) returnTo(now);
    const savedBefore = saved;
    saved = savedIn(app.state.get().snapshot, now.conv);
    isStale ||= saved !== savedBefore;
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

  /** The reader's position now, to be kept. @returns {Place} */
  const left = () => ({
    ...place,
    landing: false,
    goal: "",
    stood: keeper.get(),
    inPast: Boolean(whole?.past),
  });

  /**
   * Handles a change of the message to which the page's address leads; "" for none. A way back leads to the
   * position that the reader left.
   */
  function lead(
    /** @type {string} */ goal,
    /** @type {import("../app/page_history.js").Visit} */ { place: to, isReturn },
  ) {
    if (goal === led && to === ledPlace) return;
    const before = isReturn ? earlier.get(to) : undefined;
    if (ledPlace !== "" && (goal !== "" || before)) earlier.set(ledPlace, left());
    led = goal;
    ledPlace = to;
    if (before) {
      earlier.delete(to);
      returning = before;
    }
    if (goal === "" || before) return;
    returning = null;
    place = { ...place, goal, landing: true, atEnd: false };
    isAsked = olderFailed = false;
    isStale = true;
    if (shown) app.hold(shown.conv, true);
  }

  /** Returns to an earlier position, once the messages are shown among which it is. */
  function goBack(/** @type {Place} */ before) {
    if (!shown || !whole) return;
    const { conv } = shown;
    if (whole.past && !before.inPast) {
      app.history.toNewest(conv);
      return;
    }
    returning = null;
    place = before;
    keeper.set(place.stood);
    isAsked = olderFailed = false;
    isStale = true;
    app.hold(conv, !place.atEnd);
    if (place.atEnd) return;
    const row = place.stood.find(({ key }) => /^[0-9]+$/.test(key));
    if (row && !find(shown.messages, row.key)) place = { ...place, goal: row.key, landing: true };
  }

  /** Reloads the stretch that was read further up: it was evicted, since it may have changed. */
  function returnTo(/** @type {Conversation} */ { messages }) {
    const row = keeper.get().find(({ key }) => /^[0-9]+$/.test(key));
    if (place.atEnd || !row || find(messages, row.key)) return;
    place = { ...place, goal: row.key, landing: true };
    isAsked = false;
    isStale = true;
  }

  function leave() {
    if (!shown) return;
    selection?.end();
    day.hide();
    drawn = [];
    places.set(shown.conv, left());
    if (led !== "") earlier.set(ledPlace, left());
    led = ledPlace = "";
    returning = null;
    if (place.atEnd) app.hold(shown.conv, false);
    shown = whole = null;
    follow();
  }

  /** While the reader sees the end, messages are marked as read as they arrive. */
  function follow() {
    const sees = place.atEnd && !place.landing && document.visibilityState === "visible";
    app.follow(shown && sees ? shown.conv : "");
  }

  /** Notes new messages of others: below the reader, or to be shown first when the page is visible again. */
  function noticeNews(/** @type {Conversation} */ before, /** @type {Conversation} */ now) {
    const newest = now.messages.at(-1);
    if (!newest || newest.id === before.messages.at(-1)?.id || isBy(newest, me)) return;
    if (!place.atEnd) {
      place.unreadFrom ??= firstUnread(now, me);
    } else if (document.visibilityState !== "visible" && !place.landing) {
      place.landing = true;
      place.unreadFrom = null;
    }
  }

  /** Finds the message to which the reader is led, or loads it with its surroundings. */
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

  /** Draws again once a request for messages has succeeded or failed. */
  async function ask(/** @type {Promise<unknown>} */ asking) {
    const conv = shown?.conv;
    await asking.catch(() => {});
    if (shown?.conv !== conv) return;
    content.classList.remove("timeline-seeking");
    redraw();
  }

  /** Finds the first unread message, or loads older messages to find it in. */
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
    const stretch = { from, to, unreadFrom: place.unreadFrom };
    const rows = rowsOf(conversation, me, Date.now() / 1000, stretch, saved);
    // Rows of another stretch did not arrive just now.
    const motionOf = motionsAfter(isDrawnPast || conversation.past ? [] : drawn);
    drawn = rows;
    isDrawnPast = Boolean(conversation.past);
    const build = (/** @type {(typeof rows)[number]} */ row) => () => {
      const line = drawRow(row, actions);
      line.dataset.key = row.key;
      move(line, motionOf(row));
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
    selection?.refresh();
    // The focused element is gone: with the focus on the scroller, keys still scroll.
    if (hadFocus && document.activeElement === document.body) scroller.focus({ preventScroll: true });
    const isWhole = from === 0 && conversation.complete;
    content.classList.toggle("timeline-silent", top.show(conversation, { isWhole, from, olderFailed }));
    putBack(conversation);
  }

  /** Scrolls to where the reader was or is to be. Runs after everything is drawn. */
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
    reader.note();
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

  /** Updates `atEnd` from the page's scroll position. */
  function look() {
    if (!shown) return;
    const { messages } = shown;
    const left = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight;
    const wasAtEnd = place.atEnd;
    const isLast = bounds(messages, place.window).to === messages.length && !shown.past;
    place.atEnd = left < NEAR_END_PX && isLast;
    if (place.atEnd !== wasAtEnd) app.hold(shown.conv, !place.atEnd);
  }

  /** Does what follows from the position: the jump button, read marks, and loading more. */
  function settle() {
    if (!shown) return;
    const news = place.atEnd ? 0 : (whole?.unread ?? 0);
    jump.hidden = place.atEnd;
    jump.classList.toggle("jump-new", news > 0);
    setText(jumpWord, newsInWords(news));
    follow();
    if (place.landing) return;
    if (document.visibilityState === "visible") tellSeen(shown);
    showMore(shown);
  }

  /** Marks messages as read: all at the end, otherwise up to the lowest visible one. */
  function tellSeen(/** @type {Conversation} */ conversation) {
    const { conv, messages, unread } = conversation;
    if (place.atEnd) return app.read(conv);
    const id = keeper.lowest();
    if (unread === 0 || !place.unreadFrom || !find(messages, id)) return;
    if (compareIds(id, place.unreadFrom) >= 0) app.seen(conv, id);
  }

  /** Near an edge, shows more of the loaded messages or loads more. */
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
    // Only the reader leaves the end.
    if (place.atEnd && !reader.wentUp()) {
      putBack(shown);
    } else {
      reader.note();
      look();
      keeper.note();
      day.show(drawn, keeper.get());
    }
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
    place = { ...place, window: AT_END, atEnd: true, landing: false };
    isStale = true;
    if (shown) {
      app.history.toNewest(shown.conv);
      app.hold(shown.conv, false);
    }
    end.begin();
  }

  // A click on a link to the current address changes no route, but leads to its message again.
  document.addEventListener(
    "click",
    ({ target }) => {
      const link = target instanceof Element ? target.closest("a") : null;
      if (!link || !shown || led === "" || link.href !== location.href) return;
      led = "";
      redraw();
    },
    true,
  );
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
    /** Goes to the end, where the user's own next message will appear. */
    stick() {
      toEnd();
      place.unreadFrom = null;
    },
  };
}
