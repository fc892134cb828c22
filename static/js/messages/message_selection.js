/**
 * Several selected messages of the open conversation, and the bar that copies, forwards, saves or deletes them.
 *
 * Owns which messages are selected, the check boxes in their rows, and that the selection ends with Escape, with
 * Back and when another conversation is opened. The timeline draws the rows and calls `refresh` after each
 * drawing.
 */

import { compareIds } from "../sync/messages.js";
import { oneLine } from "../text/one_line.js";
import { reasonOf } from "../text/reason.js";
import { confirm } from "../ui/confirm.js";
import { copied } from "../ui/copy.js";
import { h, setText } from "../ui/dom.js";
import { icon } from "../ui/icons.js";
import { composes } from "../ui/input_method.js";
import { pages } from "../ui/window.js";
import { t } from "../words/words.js";
import { openForward } from "./forward.js";
import { control } from "./message_controls.js";

/** @typedef {import("../timeline/timeline_rows.js").MessageRow} MessageRow */
/** @typedef {{ refresh: () => void, end: () => void }} Selection */

/**
 * @typedef {object} Host the timeline
 * @property {string} conv
 * @property {HTMLElement} lines the list of rows
 * @property {HTMLElement} place where the bar stands
 * @property {(key: string) => MessageRow | null} rowOf the row of a message, if it is drawn
 * @property {(selection: Selection | null) => void} attach called with the selection, and with null when it ends
 * @property {(key: string) => void} back focuses the buttons of a message
 */

/**
 * @param {import("../app/app.js").App} app
 * @param {Host} host
 * @param {MessageRow} first
 */
export function openMessageSelection(app, { conv, lines, place, rowOf, attach, back }, first) {
  /** @type {Map<string, MessageRow>} */
  const chosen = new Map([[first.key, first]]);
  const count = h("span", { class: "selection-count", role: "status" });
  const tool = (
    /** @type {import("../ui/icons.js").IconName} */ sign,
    /** @type {string} */ label,
    /** @type {() => unknown} */ onclick,
  ) => {
    const facts = { class: "selection-act", type: "button", "aria-label": label, title: label, onclick };
    return h("button", facts, icon(sign), h("span", { class: "selection-word" }, label));
  };
  const copy = tool("copy", t("Copy"), copyAll);
  const forward = tool("forward", t("Forward…"), () => openForward(app, conv, all(), end));
  const save = tool("bookmark", t("Save messages"), saveAll);
  const remove = tool("end", t("Delete"), removeAll);
  const cancel = tool("close", t("Cancel selection"), end);
  cancel.lastElementChild?.remove();
  const facts = { class: "selection", role: "toolbar", "aria-label": t("Selected messages") };
  const bar = h("div", facts, cancel, count, copy, forward, save, remove);

  /** The selected messages, oldest first. */
  const all = () => [...chosen.values()].sort((a, b) => compareIds(a.key, b.key));
  const isSelectable = (/** @type {MessageRow | null} */ row) => row?.state === "stored" && !row.deleted;

  /** Gives each row its check box, and drops messages that were deleted meanwhile. */
  function refresh() {
    for (const line of lines.querySelectorAll("li.line")) {
      const row = rowOf(/** @type {HTMLElement} */ (line).dataset.key ?? "");
      if (!row) continue;
      if (!isSelectable(row)) chosen.delete(row.key);
      else if (chosen.has(row.key)) chosen.set(row.key, row);
      const box = line.querySelector(":scope > .line-check") ?? (isSelectable(row) && checkBox(line, row));
      if (box) mark(line, /** @type {HTMLInputElement} */ (box), chosen.has(row.key));
    }
    const rows = all();
    if (rows.length === 0) return end();
    setText(count, rows.length === 1 ? t("1 selected") : t("{count} selected", { count: rows.length }));
    forward.hidden = !rows.every(({ mayForward }) => mayForward);
    save.hidden = !rows.every(({ maySave }) => maySave) || rows.every(({ saved }) => saved);
    remove.hidden = !rows.every(({ mayDelete }) => mayDelete);
  }

  function checkBox(
    /** @type {Element} */ line,
    /** @type {MessageRow} */ { mine, author, text, attachments },
  ) {
    const who = mine ? t("You") : author.name;
    const label = t("Select: {it}", { it: `${who}: ${oneLine({ text, attachments })}` });
    const box = h("input", {
      class: "line-check",
      type: "checkbox",
      "aria-label": label,
      ...control("select"),
    });
    line.prepend(box);
    return box;
  }

  function mark(
    /** @type {Element} */ line,
    /** @type {HTMLInputElement} */ box,
    /** @type {boolean} */ isChosen,
  ) {
    box.checked = isChosen;
    line.classList.toggle("line-chosen", isChosen);
  }

  function clicked(/** @type {MouseEvent} */ event) {
    const line = event.target instanceof Element ? event.target.closest("li.line") : null;
    const row = line instanceof HTMLElement ? rowOf(line.dataset.key ?? "") : null;
    if (!(line instanceof HTMLElement) || !row || !isSelectable(row)) return;
    const box = /** @type {HTMLInputElement | null} */ (line.querySelector(":scope > .line-check"));
    event.stopPropagation();
    if (event.target !== box) event.preventDefault();
    if (chosen.has(row.key)) chosen.delete(row.key);
    else chosen.set(row.key, row);
    // A prevented click would take a change of the box back.
    setTimeout(refresh);
  }

  function pressed(/** @type {KeyboardEvent} */ event) {
    if (
      event.key !== "Escape" ||
      composes(event) ||
      event.defaultPrevented ||
      document.querySelector("dialog[open]")
    )
      return;
    event.preventDefault();
    event.stopPropagation();
    end();
  }

  async function copyAll() {
    const text = all().map(copiedLine).join("\n");
    if (!(await copied(text))) {
      app.complain(t("Your browser does not allow this page to copy text."));
      return;
    }
    app.tell(t("Text copied."));
    end();
  }

  async function saveAll() {
    try {
      for (const { key, saved } of all()) if (!saved) await app.save(conv, key, true);
      end();
    } catch (error) {
      app.complain(reasonOf(error));
    }
  }

  function removeAll() {
    const rows = all();
    const { length } = rows;
    confirm({
      title: length === 1 ? t("Delete this message?") : t("Delete {count} messages?", { count: length }),
      words: t("Its content is removed for everyone. Its place and its likes stay."),
      act: t("Delete"),
      async onSure() {
        for (const { key } of rows) {
          await app.deleteMessage(conv, key);
          chosen.delete(key);
        }
        end();
      },
    });
  }

  let isOver = false;
  function end() {
    if (isOver) return;
    isOver = true;
    const hadFocus = bar.contains(document.activeElement) || lines.contains(document.activeElement);
    closed();
    attach(null);
    bar.remove();
    lines.classList.remove("lines-selecting");
    lines.removeEventListener("click", clicked, true);
    document.removeEventListener("keydown", pressed, true);
    for (const box of lines.querySelectorAll(":scope > li > .line-check")) {
      box.parentElement?.classList.remove("line-chosen");
      box.remove();
    }
    if (hadFocus) back(first.key);
  }

  const closed = pages.opened(end);
  lines.classList.add("lines-selecting");
  lines.addEventListener("click", clicked, true);
  document.addEventListener("keydown", pressed, true);
  place.append(bar);
  attach({ refresh, end });
  refresh();
  const own = [...lines.children].find((line) => /** @type {HTMLElement} */ (line).dataset.key === first.key);
  /** @type {HTMLElement | null | undefined} */ (own?.querySelector(".line-check"))?.focus({
    preventScroll: true,
  });
}

/** A message as it is copied together with others, for example "Ben, 08:22: rope at six". */
const copiedLine = (/** @type {MessageRow} */ { author, time, text, attachments }) =>
  `${author.name}, ${time}: ${text === "" ? oneLine({ text, attachments }) : text}`;
