/**
 * The form in which messages are written.
 *
 * Owns the growing field, the keys (Enter sends, Shift+Enter starts a new line, ↑ in an empty field edits the
 * newest message), the ways to add files (chosen, pasted, dropped or recorded) and the character count near the
 * limit. A user who sends while uploads are under way need not wait: the message is sent once they are complete.
 * What sending does is decided by `onSend`.
 */

import { countChars, MAX_TEXT } from "../text/text.js";
import { h, setText } from "../ui/dom.js";
import { icon } from "../ui/icons.js";
import { composes } from "../ui/input_method.js";
import { createVoice } from "../voice/voice.js";
import { t } from "../words/words.js";
import { createFormatting } from "./formatting_keys.js";
import { commandsOf, emojiOf, peopleOf } from "./suggestion_sources.js";
import { createSuggestions } from "./suggestions.js";
import { createTray } from "./tray.js";

/** Number of characters from which on the remaining ones are shown and read aloud. */
const COUNT_FROM = MAX_TEXT - 100;

const isPlainUp = (/** @type {KeyboardEvent} */ event) =>
  event.key === "ArrowUp" && !(event.altKey || event.ctrlKey || event.metaKey || event.shiftKey);

/** How many composers there are: each has ids of its own. */
let made = 0;

/**
 * @param {{
 *   label: (conversation: import("../sync/types.js").Conversation) => string,
 *   placeholder: string,
 *   upload: (conv: string, file: File, way: import("../files/send_file.js").Way) => Promise<import("../sync/types.js").Attachment>,
 *   link: (conv: string, file: string) => Promise<string | null>,
 *   drafts: Pick<import("./drafts.js").Drafts, "get" | "set" | "attached" | "attach" | "end">,
 *   commands: (conv: string) => Promise<import("../bots/bot_calls.js").Command[]>,
 *   names: () => Iterable<import("../text/addressing.js").Named>,
 *   pictureOf: (id: string) => string | null | undefined,
 *   tone: () => string,
 *   onSend: (conv: string, text: string, attachments: import("../sync/types.js").Attachment[]) => void,
 *   onTyping: (conv: string) => void,
 *   onEmoji: (insert: (sign: string) => void) => void,
 *   onTrouble: (words: string) => void,
 *   onEditLast: () => void,
 *   onEscape: () => boolean,
 * }} parts `label` names the field for screen readers; `link` returns a link to an uploaded file, null if there is none; `onTyping` is called with every change that leaves words; `onEscape` returns whether it did anything
 */
export function createComposer(parts) {
  const { label, placeholder, upload, link, drafts, commands, names, pictureOf, tone } = parts;
  const { onSend, onTyping, onEmoji, onTrouble, onEditLast, onEscape } = parts;
  made += 1;
  const countId = `composer-count-${made}`;
  /** Conversations whose message is sent once its uploads are complete. @type {Set<string>} */
  const promised = new Set();
  let conv = "";
  let shownLabel = "";

  const input = h("textarea", {
    class: "composer-input",
    rows: 1,
    dir: "auto",
    placeholder,
    enterkeyhint: "send",
    "aria-describedby": countId,
    oninput: written,
    onkeydown: pressed,
    onpaste: pasted,
  });
  const list = createSuggestions({
    input,
    sources: [commandsOf(commands), peopleOf(names, pictureOf), emojiOf(tone)],
    onTake: written,
  });
  const formatting = createFormatting({ input, onChange: written });
  const tray = createTray({ upload, link, onChange: arrived, onTrouble });
  const chooser = h("input", {
    type: "file",
    multiple: true,
    hidden: true,
    "aria-label": t("Files to add"),
    onchange: chosen,
  });
  const attach = h(
    "button",
    {
      class: "button-icon",
      type: "button",
      "aria-label": t("Add a picture or file"),
      title: t("Add a picture or file"),
      onclick: () => chooser.click(),
    },
    icon("picture"),
  );
  const voice = createVoice({
    conv: () => conv,
    onRecorded: recorded,
    onTurn(isOn) {
      form.classList.toggle("composer-recording", isOn);
      if (!isOn) input.focus();
    },
    onTrouble,
  });
  const emoji = h(
    "button",
    {
      class: "button-icon composer-emoji",
      type: "button",
      "aria-label": t("Add an emoji"),
      title: t("Add an emoji"),
      onclick: () => onEmoji(insert),
    },
    icon("smile"),
  );
  const count = h("p", { class: "composer-count", id: countId, role: "status" });
  const asFile = h(
    "p",
    { class: "composer-long", hidden: true },
    h("span", {}, t("This text is too long for a message.")),
    h("button", { class: "button-link", type: "button", onclick: sendAsFile }, t("Send it as a file")),
  );
  const send = h(
    "button",
    { class: "composer-send", type: "submit", "aria-label": t("Send"), title: t("Send") },
    icon("send"),
  );
  const form = h(
    "form",
    {
      class: "composer",
      onsubmit: (/** @type {Event} */ event) => {
        event.preventDefault();
        submit();
      },
    },
    list.node,
    formatting.node,
    asFile,
    tray.node,
    chooser,
    attach,
    voice.button,
    voice.bar,
    h("div", { class: "composer-field" }, input, count, formatting.toggle, emoji),
    send,
  );

  function written() {
    drafts.set(conv, input.value);
    changed();
    list.look();
    if (input.value.trim() !== "") onTyping(conv);
  }

  function pressed(/** @type {KeyboardEvent} */ event) {
    if (composes(event) || list.pressed(event) || formatting.pressed(event)) return;
    if (event.key === "Escape" && onEscape()) event.preventDefault();
    if (isPlainUp(event) && input.value === "" && tray.isEmpty()) {
      event.preventDefault();
      onEditLast();
      return;
    }
    if (event.key !== "Enter" || event.shiftKey) return;
    event.preventDefault();
    submit();
  }

  /** Inserts an emoji at the caret. */
  function insert(/** @type {string} */ sign) {
    input.setRangeText(sign, input.selectionStart, input.selectionEnd, "end");
    written();
    // Waits a frame: the closing window gives the focus back to the button that opened it.
    requestAnimationFrame(() => input.focus());
  }

  /** Adds a recording to the tray. With `isSent`, the message is sent once the upload is complete. */
  function recorded(
    /** @type {File} */ file,
    /** @type {string} */ of,
    /** @type {boolean} */ isSent,
    /** @type {number} */ duration,
  ) {
    if (isSent) promised.add(of);
    tray.add([file], of, { duration });
  }

  /** Turns a text that is too long into a file, which can be sent. */
  function sendAsFile() {
    tray.add([new File([input.value], `${t("Message")}.txt`, { type: "text/plain" })]);
    input.value = "";
    written();
    input.focus();
  }

  function chosen() {
    tray.add(chooser.files ?? []);
    // Cleared, so that the same file can be chosen again.
    chooser.value = "";
    input.focus();
  }

  function pasted(/** @type {ClipboardEvent} */ event) {
    const files = event.clipboardData?.files ?? [];
    if (files.length === 0) return;
    event.preventDefault();
    tray.add(files);
  }

  function submit() {
    if (send.disabled) return;
    list.close();
    if (tray.isReady()) {
      post(conv, input.value);
      input.value = "";
    } else if (promised.has(conv)) promised.delete(conv);
    else promised.add(conv);
    changed();
    input.focus();
  }

  function post(/** @type {string} */ to, /** @type {string} */ draft) {
    promised.delete(to);
    drafts.end(to);
    const text = draft.trimEnd();
    onSend(to, text.trim() === "" ? "" : text, tray.take(to));
  }

  /** Handles a change in the files of a conversation, perhaps one that is not open. */
  function arrived(/** @type {string} */ of) {
    const isHere = of === conv;
    drafts.attach(of, tray.ready(of));
    const draft = isHere ? input.value : drafts.get(of);
    if (promised.has(of) && !tray.isUnderWay(of)) {
      promised.delete(of);
      const isSendable = countChars(draft.trimEnd()) <= MAX_TEXT && !tray.isEmpty(of) && tray.isReady(of);
      if (isSendable) post(of, draft);
      if (isSendable && isHere) input.value = "";
    }
    if (isHere) changed();
  }

  function changed() {
    const text = input.value.trimEnd();
    const chars = countChars(text);
    const left = MAX_TEXT - chars;
    const tooLong = left < 0;
    const isPromised = promised.has(conv);
    const counted = tooLong ? t("{it} too many", { it: -left }) : t("{left} left", { left });
    setText(count, isPromised ? t("Sends once uploaded") : chars < COUNT_FROM ? "" : counted);
    send.classList.toggle("composer-promised", isPromised);
    if (isPromised) send.setAttribute("aria-pressed", "true");
    else send.removeAttribute("aria-pressed");
    form.classList.toggle("composer-too-long", tooLong);
    asFile.hidden = !tooLong;
    input.placeholder = tray.hasPictures() ? t("Add a caption") : placeholder;
    if (tooLong) input.setAttribute("aria-invalid", "true");
    else input.removeAttribute("aria-invalid");
    const nothing = text.trim() === "" && tray.isEmpty();
    send.disabled = nothing || tooLong || !(tray.isReady() || tray.isUnderWay());
    grow();
  }

  function grow() {
    if (form.offsetParent === null) return;
    // Keeps the form's height while the field is measured; otherwise the list above would lose its scroll
    // position.
    form.style.minHeight = `${form.offsetHeight}px`;
    input.style.height = "auto";
    input.style.height = `${input.scrollHeight}px`;
    form.style.minHeight = "";
  }

  // Lines break differently at another width, and a hidden field cannot be measured.
  new ResizeObserver(grow).observe(form);

  return {
    node: form,
    input,
    addFiles: tray.add,
    show(/** @type {import("../sync/types.js").Conversation} */ conversation) {
      const named = label(conversation);
      if (named !== shownLabel) {
        shownLabel = named;
        input.setAttribute("aria-label", named);
      }
      const draft = drafts.get(conversation.conv);
      const attached = drafts.attached(conversation.conv);
      // Another device may have changed the draft.
      const isSame = input.value === draft && tray.has(conversation.conv, attached);
      if (conversation.conv === conv && isSame) return;
      conv = conversation.conv;
      tray.keep(conv, attached);
      voice.show(conv);
      list.show(conv);
      tray.show(conv);
      input.value = draft;
      changed();
    },
    /** Called when nobody sees it any more: ends a recording, which is kept with the draft. */
    leave() {
      conv = "";
      voice.show("");
      list.close();
    },
  };
}
