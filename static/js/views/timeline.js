/**
 * The lines of the open conversation, and the place the reader is at.
 *
 * Owns scrolling: at the end it stays at the end, above it nothing moves under the
 * reader, and coming near the top loads older pages. Seen to the end counts as read.
 */

import { h, reconcile, setText } from "../dom.js";
import { icon } from "../icons.js";
import { nameOf } from "../naming.js";
import { dayKey } from "../time.js";
import { openAddMember } from "./add_member.js";
import { createMessageControls } from "./message_controls.js";
import { drawRow } from "./message_row.js";
import { openPerson } from "./person.js";
import { rowsOf } from "./timeline_rows.js";

/** @typedef {import("../types.js").Conversation} Conversation */

const NEAR_END_PX = 60;
const NEAR_TOP_PX = 400;

export function createTimeline(/** @type {import("../app.js").App} */ app) {
  const top = h("div", { class: "timeline-top" });
  const lines = h("ol", { class: "lines" });
  const controls = createMessageControls(lines);
  const content = h("div", { class: "timeline-content" }, top, lines);
  const scroller = h(
    "div",
    { class: "timeline", role: "region", "aria-label": "Messages", tabindex: "0", onscroll: scrolled },
    content,
  );
  const jumpWord = h("span");
  const jump = h(
    "button",
    { class: "jump", type: "button", "aria-label": "Jump to the newest message", onclick: toEnd },
    jumpWord,
    icon("down"),
  );
  const node = h("div", { class: "timeline-place" }, scroller, jump);

  /** @type {Conversation | null} */
  let shown = null;
  /** @type {{ conv: string, atEnd: boolean, newSince: boolean }} */
  let place = { conv: "", atEnd: true, newSince: false };
  let shownDay = "";
  /** Set while the last attempt to load an older page failed. */
  let olderFailed = false;

  const actions = {
    retry: (/** @type {string} */ guid) => shown && app.retry(shown.conv, guid),
    discard: (/** @type {string} */ guid) => shown && app.discard(shown.conv, guid),
    like: (/** @type {string} */ id, /** @type {boolean} */ liked) =>
      shown && app.like(shown.conv, id, liked),
    meet: (/** @type {import("../types.js").Person} */ { id, name, imageUrl }) =>
      openPerson(app, { id, name, imageUrl }, shown?.group),
  };

  function show(/** @type {Conversation} */ conversation, /** @type {string} */ me) {
    const before = shown?.conv === conversation.conv ? shown : null;
    shown = conversation;
    if (!before) {
      place = { conv: conversation.conv, atEnd: true, newSince: false };
      olderFailed = false;
    }
    const today = dayKey(Date.now() / 1000);
    if (before !== conversation || today !== shownDay) {
      shownDay = today;
      const fromEnd = scroller.scrollHeight - scroller.scrollTop;
      const olderCame = before && before.messages[0]?.id !== conversation.messages[0]?.id;
      const newCame = before && before.messages.at(-1)?.id !== conversation.messages.at(-1)?.id;
      draw(conversation, me);
      if (place.atEnd) toEnd();
      else if (olderCame) scroller.scrollTop = scroller.scrollHeight - fromEnd;
      if (newCame && !place.atEnd) place.newSince = true;
    }
    settle();
  }

  function draw(/** @type {Conversation} */ conversation, /** @type {string} */ me) {
    const rows = rowsOf(conversation, me, Date.now() / 1000);
    const build = (/** @type {(typeof rows)[number]} */ row) => () => {
      const line = drawRow(row, actions);
      line.dataset.key = row.key;
      return line;
    };
    controls.around(() =>
      reconcile(
        lines,
        rows.map((row) => ({ key: row.key, sign: JSON.stringify(row), build: build(row) })),
      ),
    );
    drawTop(conversation);
  }

  function drawTop(/** @type {Conversation} */ conversation) {
    const { complete, group, messages, outbox } = conversation;
    const silent = messages.length === 0 && outbox.length === 0;
    const name = nameOf(conversation);
    /** @type {HTMLElement[]} */
    const words = complete ? [h("p", { class: "beginning" }, name), beginning(conversation, silent)] : [];
    if (complete && silent && group) words.push(addButton(group));
    content.classList.toggle("timeline-silent", silent);
    if (olderFailed) words.push(retryOlder());
    else if (!complete) words.push(h("p", { class: "quiet" }, "Loading older messages…"));
    top.replaceChildren(...words);
  }

  function addButton(/** @type {import("../types.js").Group} */ group) {
    const open = () => openAddMember(app, group);
    return h("button", { class: "button", type: "button", onclick: open }, icon("addPerson"), "Add someone");
  }

  function retryOlder() {
    const again = () => {
      olderFailed = false;
      settle();
    };
    return h(
      "button",
      { class: "button-link", type: "button", onclick: again },
      "Older messages did not load. Try again",
    );
  }

  /** What follows from where the reader is now. */
  function settle() {
    if (!shown) return;
    const hasNews = place.newSince && !place.atEnd;
    jump.hidden = place.atEnd;
    jump.classList.toggle("jump-new", hasNews);
    setText(jumpWord, hasNews ? "New messages" : "");
    if (place.atEnd && document.visibilityState === "visible") app.read(shown.conv);
    if (scroller.scrollTop < NEAR_TOP_PX && !shown.complete && !olderFailed) older(shown.conv);
  }

  async function older(/** @type {string} */ conv) {
    try {
      await app.loadOlder(conv);
    } catch {
      if (shown?.conv !== conv) return;
      olderFailed = true;
      drawTop(shown);
    }
  }

  function scrolled() {
    const left = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight;
    place.atEnd = left < NEAR_END_PX;
    if (place.atEnd) place.newSince = false;
    settle();
  }

  function toEnd() {
    place.atEnd = true;
    place.newSince = false;
    scroller.scrollTop = scroller.scrollHeight;
  }

  // Pictures that load, a growing composer and a phone's keyboard all change the height.
  const sizes = new ResizeObserver(() => place.atEnd && toEnd());
  sizes.observe(content);
  sizes.observe(scroller);
  document.addEventListener("visibilitychange", settle);

  return {
    node,
    show,
    hide() {
      shown = null;
    },
    /** The next line is my own: go to where it will stand. */
    stick() {
      place.atEnd = true;
    },
  };
}

function beginning(/** @type {Conversation} */ { other }, /** @type {boolean} */ silent) {
  if (!silent) return h("p", { class: "quiet" }, "This is where it all began.");
  const words = other
    ? `Say the first word. Only you and ${other.name} read what is written here.`
    : "Say the first word, or add someone to say it to.";
  return h("p", { class: "quiet" }, words);
}
