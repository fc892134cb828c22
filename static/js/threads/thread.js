/**
 * The page of the panel with a thread: the message that began it, the answers, and a field that writes another one.
 *
 * Shows what the server has and what happens meanwhile, my answers that are not stored yet included. The
 * field has a draft of its own, which is not that of the conversation.
 */

import { openEdit, openEmojiPicker, openMessageDetails } from "../app/windows.js";
import { isRequest } from "../chats/chats.js";
import { createComposer } from "../composer/composer.js";
import { createDropZone } from "../files/drop_zone.js";
import { may } from "../groups/permissions.js";
import { isReadOnly } from "../groups/standstill.js";
import { MORE } from "../messages/message_bar.js";
import { CONTROL, createMessageControls } from "../messages/message_controls.js";
import { watchGestures } from "../messages/message_gestures.js";
import { createTimeoutBar } from "../moderation/timeout_bar.js";
import { watchPictures } from "../pictures/picture_opening.js";
import { HEART } from "../reactions/likes.js";
import { savedIn } from "../saved/saved.js";
import { find, merge } from "../sync/messages.js";
import { seenNow } from "../sync/past.js";
import { answeredBy, replyTo } from "../text/addressing.js";
import { mentionable, mentionsIn, pictureIn } from "../text/mentioning.js";
import { reasonOf } from "../text/reason.js";
import { isSaidByCard } from "../text/system_line.js";
import { createFloatingDay } from "../timeline/floating_day.js";
import { drawRow } from "../timeline/message_row.js";
import { createPlaceKeeper } from "../timeline/place_keeper.js";
import { createTimelineActs } from "../timeline/timeline_acts.js";
import { rowsOf } from "../timeline/timeline_rows.js";
import { h, reconcile, rowOf, setText } from "../ui/dom.js";
import { canType } from "../ui/input_method.js";
import { t } from "../words/words.js";

/** @typedef {import("../app/app.js").App} App */
/** @typedef {import("../sync/types.js").Message} Message */
/** @typedef {import("../timeline/timeline_rows.js").TimelineRow} TimelineRow */
/** @typedef {import("../sync/types.js").Conversation} Conversation */

/** How far from its end the list may stand and still count as being at the end, in pixels. */
const NEAR_END_PX = 40;

/** @returns {import("../details/details.js").Page} */
export function threadPage(/** @type {App} */ app, /** @type {string} */ conv, /** @type {string} */ id) {
  /** The answers as they are known here. @type {Message[]} */
  let known = [];
  let isLoaded = false;
  /** The message that began the thread, as it was last known. @type {Message | null} */
  let began = null;
  const me = () => app.state.get().snapshot?.user.id ?? "";
  const here = () => app.state.get().snapshot?.conversations[conv] ?? null;
  const list = h("ol", { class: "lines" });
  const controls = createMessageControls(list);
  const state = h("p", { class: "quiet", role: "status" }, t("Searching messages…"));
  const trouble = h("p", { class: "alert", role: "alert" });
  // Off while the answers that were there before are shown, or all of them would be read out.
  const log = h("div", { role: "log", "aria-live": "off", "aria-label": t("Replies") }, list);
  const scroller = h("div", { class: "thread-answers", tabindex: "0" }, log, state);
  const composer = createComposer({
    label: () => t("Write a reply"),
    placeholder: t("Write a reply"),
    upload: app.upload,
    link: (to, file) =>
      app.fileLink(to, file).catch((error) => {
        setText(trouble, error.message);
        return null;
      }),
    drafts: app.threadDrafts.of(conv, id),
    commands: app.commands,
    names: () => mentionableHere(here(), me()),
    pictureOf: (who) => pictureHere(here(), who),
    tone: app.emojiTone.get,
    onSend(to, text, attachments) {
      const conversation = here();
      if (!conversation) return;
      setText(trouble, "");
      app.send(to, text, [replyTo(id), ...mentionsIn(text, conversation, me()), ...attachments]);
      toEnd();
    },
    onTyping: app.typing,
    onEmoji: (insert) => openEmojiPicker(app, { title: t("Add an emoji"), onChoose: insert }),
    onTrouble: (words) => setText(trouble, words),
    onEditLast: editLast,
    onEscape: () => false,
  });
  const timeoutBar = createTimeoutBar(app, show);

  /** What the rows show: the message that began the thread, and the answers. @returns {Conversation | null} */
  function shown() {
    const conversation = here();
    if (!conversation) return null;
    const base = find(seenNow(conversation).messages, id) ?? began;
    began = base;
    const outbox = conversation.outbox.filter((one) => isAnswer(one, id)).map(withoutReply);
    const all = [...(base ? [base] : []), ...answers(conversation)].map(withoutReply);
    return { ...conversation, messages: all, outbox, past: null };
  }

  const actions = createTimelineActs(
    app,
    {
      answer: () => composer.input.focus(),
      select: () => {},
      about: ({ key }) => {
        const conversation = shown();
        if (conversation) openMessageDetails(app, conversation, key);
      },
      back: (key) => {
        const button = rowOf(list, key)?.querySelector(`[${CONTROL}="${MORE}"]`);
        if (button instanceof HTMLElement) button.focus({ preventScroll: true });
      },
    },
    shown,
  );
  /** @type {TimelineRow[]} */
  let drawn = [];
  watchGestures(list, {
    rowOf: (line) => {
      const key = line instanceof HTMLElement ? line.dataset.key : "";
      const row = drawn.find((one) => one.key === key);
      return row?.kind === "line" ? row : null;
    },
    open: actions.menu.more,
    answer: () => composer.input.focus(),
    like: (row) => actions.toggle(row, HEART),
  });
  watchPictures(list, app, shown);

  function show() {
    const conversation = shown();
    if (!conversation) return;
    const wasAtEnd = isAtEnd();
    const saved = savedIn(app.state.get().snapshot, conv);
    drawn = rowsOf(conversation, me(), Date.now() / 1000, undefined, saved).map(inThread);
    const build = (/** @type {TimelineRow} */ row) => () => {
      const line = drawRow(row, actions);
      line.dataset.key = row.key;
      return line;
    };
    controls.around(() =>
      reconcile(
        list,
        drawn.map((row) => ({ key: row.key, sign: "label" in row ? row.label : row, build: build(row) })),
        show,
      ),
    );
    const count = conversation.messages.length + conversation.outbox.length;
    if (isLoaded) setText(state, count > 1 ? "" : t("Nobody has replied."));
    if (wasAtEnd) toEnd();
    const { group } = conversation;
    const isShut = timeoutBar.show(isReadOnly(group) ? undefined : group, app.state.get());
    composer.node.hidden = isShut || !mayWrite(app, conversation);
  }

  /** The answers, oldest first: those that were loaded, with what the page has of them by now. */
  function answers(/** @type {Conversation | null} */ conversation) {
    const { messages = [] } = conversation ? seenNow(conversation) : {};
    const fresh = [...messages, ...(conversation?.messages ?? [])].filter((one) => isAnswer(one, id));
    known = merge(known, fresh);
    return known;
  }

  const isAtEnd = () => scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < NEAR_END_PX;
  function toEnd() {
    scroller.scrollTop = scroller.scrollHeight;
  }

  /** Opens the window that edits the user's newest answer. */
  function editLast() {
    const last = known.findLast((one) => one.user_id === me() && !one.deleted_at && !isSaidByCard(one));
    if (!last) return;
    const facts = { key: last.id, text: last.text ?? "", attachments: last.attachments };
    openEdit(facts, { edit: (_, said) => app.editMessage(conv, last.id, said) });
  }

  async function load() {
    try {
      const found = await app.replies(conv, id);
      known = merge(found, known);
      isLoaded = true;
      show();
      toEnd();
      requestAnimationFrame(() => log.setAttribute("aria-live", "polite"));
    } catch (error) {
      setText(state, reasonOf(error));
    }
  }

  const day = createFloatingDay();
  const places = createPlaceKeeper(scroller, list);
  scroller.addEventListener(
    "scroll",
    () => {
      if (isAtEnd()) return day.hide();
      places.note();
      day.show(drawn, places.get());
    },
    { passive: true },
  );

  const answersPlace = h("div", { class: "thread-place" }, scroller, day.node);
  const node = h("div", { class: "thread" }, answersPlace, trouble, composer.node, timeoutBar.node);
  createDropZone(node, {
    words: t("Drop files to add them"),
    isOpen: () => !composer.node.hidden,
    onFiles: composer.addFiles,
  });
  const conversation = here();
  if (conversation) composer.show(conversation);
  const forget = app.state.onChange(show);
  // Answers further up than the loaded messages change by their events only.
  const ignore = app.onEvent((_before, event) => {
    if (event.conv !== conv || !event.type.startsWith("message.")) return;
    known = known.map((one) => (one.id === event.data.id ? { ...one, ...event.data } : one));
    show();
  });
  show();
  load();
  return {
    title: t("Replies"),
    nodes: [node],
    focus() {
      if (!canType() || composer.node.hidden) return false;
      composer.input.focus();
      return true;
    },
    leave() {
      day.hide();
      forget();
      ignore();
      composer.leave();
      timeoutBar.leave();
    },
  };
}

/** Whether a message answers in the thread that another one began. */
function isAnswer(/** @type {Pick<Message, "attachments">} */ { attachments }, /** @type {string} */ base) {
  const reply = attachments?.find(({ type }) => type === "reply");
  return reply?.base_reply_id === base || answeredBy(attachments ?? [])?.id === base;
}

const mentionableHere = (/** @type {Conversation | null} */ conversation, /** @type {string} */ me) =>
  conversation ? mentionable(conversation, me) : [];

const pictureHere = (/** @type {Conversation | null} */ conversation, /** @type {string} */ id) =>
  conversation && pictureIn(conversation, id);

/** Whether the user can write here: still takes part, does not block the other person, and this is no request. */
function mayWrite(/** @type {App} */ app, /** @type {Conversation | null} */ conversation) {
  const blocked = app.state.get().snapshot?.blocked ?? [];
  if (!conversation || isRequest(conversation)) return false;
  if (blocked.includes(conversation.other?.id ?? "")) return false;
  const me = app.state.get().snapshot?.user.id ?? "";
  return !conversation.group || may(conversation.group, me, "post");
}

/** Messages without what says that they are replies: here, all of them are. @type {WeakMap<object, any>} */
const bare = new WeakMap();

/** @template {Pick<Message, "attachments">} One @returns {One} */
function withoutReply(/** @type {One} */ message) {
  const known = bare.get(message);
  if (known) return known;
  const made = { ...message, attachments: message.attachments?.filter(({ type }) => type !== "reply") };
  bare.set(message, made);
  return made;
}

/** The rows of threads, each made once, so that only changed ones are drawn again. @type {WeakMap<TimelineRow, TimelineRow>} */
const rows = new WeakMap();

/** @returns {TimelineRow} a row that leads into no other thread */
function inThread(/** @type {TimelineRow} */ row) {
  if (row.kind !== "line") return row;
  const known = rows.get(row);
  if (known) return known;
  const made = { ...row, mayAnswer: false, maySelect: false, mayMark: false, answers: 0 };
  rows.set(row, made);
  return made;
}
