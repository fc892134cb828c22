/**
 * The window of a thread: the message that began it, the answers, and a field that writes another one.
 *
 * Shows what the server has and what happens meanwhile, my answers that are not stored yet included. The
 * field has a draft of its own, which is not that of the conversation.
 */

import { answeredBy, replyTo } from "../addressing.js";
import { h, reconcile, setText } from "../dom.js";
import { mentionable, mentionsIn } from "../mentioning.js";
import { find, merge } from "../messages.js";
import { oneLine } from "../one_line.js";
import { seenNow } from "../past.js";
import { may } from "../permissions.js";
import { isSaidByCard } from "../system_line.js";
import { t } from "../words.js";
import { createComposer } from "./composer.js";
import { openDialog } from "./dialog.js";
import { createDropZone } from "./drop_zone.js";
import { openEmojiPicker } from "./emoji_picker.js";
import { openEdit } from "./message_changes.js";
import { unsent } from "./message_row.js";
import { messageItem } from "./pinned.js";

/** @typedef {import("../app.js").App} App */
/** @typedef {import("../types.js").Message} Message */
/** @typedef {import("../types.js").Unsent} Unsent */
/** @typedef {import("../types.js").Conversation} Conversation */

/** How far from its end the list may stand and still count as being at the end, in pixels. */
const NEAR_END_PX = 40;

/** Whether to focus the field at once; on a phone, the on-screen keyboard would cover the answers. */
const canType = () => matchMedia("(hover: hover) and (pointer: fine)").matches;

export function openThread(/** @type {App} */ app, /** @type {string} */ conv, /** @type {string} */ id) {
  /** The answers as they are known here. @type {Message[]} */
  let known = [];
  let isLoaded = false;
  const me = () => app.state.get().snapshot?.user.id ?? "";
  const here = () => app.state.get().snapshot?.conversations[conv] ?? null;
  const began = h("ul", { class: "pinned thread-began" });
  const list = h("ul", { class: "pinned" });
  const state = h("p", { class: "quiet", role: "status" }, t("Searching messages…"));
  const trouble = h("p", { class: "alert", role: "alert" });
  // Off while the answers that were there before are shown, or all of them would be read out.
  const log = h("div", { role: "log", "aria-live": "off", "aria-label": t("Replies") }, list);
  const scroller = h("div", { class: "thread-answers", tabindex: "0" }, began, state, log);
  const composer = createComposer({
    label: () => t("Write a reply"),
    placeholder: t("Write a reply"),
    upload: app.upload,
    drafts: app.threadDrafts.of(conv, id),
    commands: app.commands,
    names: () => mentionableHere(here(), me()),
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
  let close = () => {};

  function show() {
    const conversation = here();
    const base = conversation && find(seenNow(conversation).messages, id);
    const all = answers(conversation);
    const waiting = (conversation?.outbox ?? []).filter((one) => isAnswer(one, id));
    const wasAtEnd = isAtEnd();
    reconcile(began, base ? [rowOf(base)] : []);
    reconcile(list, [...all.map(rowOf), ...waiting.map(unsentRow)]);
    if (isLoaded) setText(state, all.length + waiting.length > 0 ? "" : t("Nobody has replied."));
    if (wasAtEnd) toEnd();
    composer.node.hidden = !mayWrite(app, conversation);
  }

  /** The answers, oldest first: those that were loaded, with what the page has of them by now. */
  function answers(/** @type {Conversation | null} */ conversation) {
    const { messages = [] } = conversation ? seenNow(conversation) : {};
    const fresh = [...messages, ...(conversation?.messages ?? [])].filter((one) => isAnswer(one, id));
    known = merge(known, fresh);
    return known;
  }

  const rowOf = (/** @type {Message} */ message) => ({
    key: message.id,
    sign: message,
    build: () => messageItem(conv, message, close),
  });
  const unsentRow = (/** @type {Unsent} */ one) => ({
    key: one.guid,
    sign: one,
    build: () => unsentItem(app, conv, one),
  });

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
      setText(state, error instanceof Error ? error.message : String(error));
    }
  }

  const dialog = openDialog({
    title: t("Replies"),
    content(end) {
      close = end;
      return [scroller, trouble, composer.node];
    },
  });
  dialog.classList.add("thread");
  createDropZone(dialog, {
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
  dialog.addEventListener("close", () => {
    forget();
    ignore();
    composer.leave();
  });
  show();
  load();
  if (canType()) composer.input.focus();
}

/** Whether a message answers in the thread that another one began. */
function isAnswer(/** @type {Pick<Message, "attachments">} */ { attachments }, /** @type {string} */ base) {
  const reply = attachments?.find(({ type }) => type === "reply");
  return reply?.base_reply_id === base || answeredBy(attachments ?? [])?.id === base;
}

const mentionableHere = (/** @type {Conversation | null} */ conversation, /** @type {string} */ me) =>
  conversation ? mentionable(conversation, me) : [];

/** Whether the user can write here: still takes part, and does not block the other person. */
function mayWrite(/** @type {App} */ app, /** @type {Conversation | null} */ conversation) {
  const blocked = app.state.get().snapshot?.blocked ?? [];
  if (!conversation || blocked.includes(conversation.other?.id ?? "")) return false;
  const me = app.state.get().snapshot?.user.id ?? "";
  return !conversation.group || may(conversation.group, me, "post");
}

/** An answer of the user that the server has not stored yet. */
function unsentItem(/** @type {App} */ app, /** @type {string} */ conv, /** @type {Unsent} */ one) {
  const { text, attachments, state } = one;
  const acts = {
    retry: (/** @type {string} */ guid) => app.retry(conv, guid),
    discard: (/** @type {string} */ guid) => app.discard(conv, guid),
  };
  const said = attachments.filter(({ type }) => type !== "reply" && type !== "mentions");
  return h(
    "li",
    { class: "pinned-message" },
    h("span", { class: "pinned-name" }, t("You")),
    state === "sending" && h("span", { class: "quiet" }, t("Sending")),
    h("span", { class: "pinned-text", dir: "auto" }, oneLine({ text, attachments: said })),
    (state === "failed" || state === "waiting") && unsent(one, acts),
  );
}
