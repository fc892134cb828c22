/**
 * The page with the saved messages, the one saved last first. Each row leads to its message, and a button removes it.
 *
 * Loads the rows when it is opened. Follows what other devices save and remove, and edits of the messages.
 */

import { messageHref } from "../app/route.js";
import { fullNameOf } from "../conversation/naming.js";
import { apartFrame, walk } from "../conversation_list/apart_page.js";
import { avatar } from "../people/avatar.js";
import { inTurn } from "../sync/in_turn.js";
import { oneLine } from "../text/one_line.js";
import { reasonOf } from "../text/reason.js";
import { dayKey, fullTime, isoTime, shortTime } from "../text/time.js";
import { h, reconcile, setText } from "../ui/dom.js";
import { icon } from "../ui/icons.js";
import { t } from "../words/words.js";
import {
  convOfRow,
  hasNew,
  savedPage,
  stillSaved,
  withChange,
  withFirstPage,
  withNextPage,
  withoutLeft,
} from "./saved_list.js";

/** @typedef {import("../sync/state.js").State} State */
/** @typedef {import("../sync/types.js").Snapshot} Snapshot */
/** @typedef {import("./saved_list.js").SavedMessage} SavedMessage */

export function createSavedPage(/** @type {import("../app/app.js").App} */ app) {
  const label = t("Saved messages");
  const list = h("ul", { class: "saved", "aria-label": label, onkeydown: walk });
  const status = h("p", { class: "quiet", role: "status" });
  const alert = h("p", { class: "alert", role: "alert" });
  const more = h("button", { class: "button", type: "button", hidden: true, onclick: next });
  const help = t(
    "To save a message, open its menu and choose Save message. Only you can see your saved messages.",
  );
  const empty = h(
    "div",
    { class: "groups-empty", hidden: true },
    h("p", {}, t("No saved messages.")),
    h("p", { class: "quiet" }, help),
  );
  const { node, title } = apartFrame(label, alert, list, empty, status, more);

  /** @type {import("./saved_list.js").SavedList} */
  let known = { rows: [], isWhole: false };
  /** What was saved when the rows were last compared with it. @type {Snapshot["saved"]} */
  let saved;
  let isLoaded = false;
  let isLoading = false;
  let wantsMore = false;
  /** Whether the connection was lost since the rows were loaded. */
  let wasCut = false;

  /** Loads the first page again, or with `wantsMore` the one after the last row; says if that fails. */
  const look = inTurn(async () => {
    const me = app.state.get().snapshot?.user.id;
    const last = wantsMore ? known.rows.at(-1) : undefined;
    wantsMore = false;
    isLoading = true;
    more.hidden = true;
    setText(status, isLoaded ? "" : t("Loading…"));
    setText(alert, "");
    try {
      const page = await savedPage(app.api.rest, last?.id);
      // Somebody else may be signed in by now.
      if (me !== app.state.get().snapshot?.user.id) return;
      known = last ? withNextPage(known, page) : withFirstPage(known, page);
      isLoaded = true;
    } catch (error) {
      setText(alert, reasonOf(error));
    } finally {
      isLoading = false;
      setText(status, "");
      draw();
    }
  });

  async function next() {
    const hadFocus = document.activeElement === more;
    const { length } = known.rows;
    wantsMore = isLoaded;
    await look();
    if (hadFocus && document.activeElement === document.body) (rowAt(length) ?? title).focus();
  }

  /** What takes the focus in a row: its link, or else its button. */
  const rowAt = (/** @type {number} */ at) =>
    /** @type {HTMLElement | null | undefined} */ (list.children[at]?.querySelector("a, button"));

  function remove(/** @type {SavedMessage} */ row) {
    app.save(convOfRow(row), row.message_id, false).catch((/** @type {Error} */ error) => {
      app.complain(error.message);
    });
  }

  function draw() {
    const { snapshot } = app.state.get();
    if (!snapshot || node.hidden) return;
    const focused = [...list.children].findIndex((row) => row.contains(document.activeElement));
    const isButton = document.activeElement?.tagName === "BUTTON";
    const today = dayKey(Date.now() / 1000);
    reconcile(
      list,
      known.rows.map((row) => {
        const place = placeOf(snapshot, row);
        const build = () => rowNode(row, place, snapshot.user.id, () => remove(row));
        return { key: row.id, sign: JSON.stringify([row, place, today]), build };
      }),
      draw,
    );
    const isEmpty = known.rows.length === 0;
    list.hidden = isEmpty;
    empty.hidden = !isEmpty || !isLoaded || !known.isWhole;
    setText(more, isLoaded && alert.textContent === "" ? t("Show more") : t("Try again"));
    more.hidden = isLoading || (known.isWhole && alert.textContent === "");
    if (focused >= 0 && document.activeElement === document.body) focusNear(focused, isButton);
  }

  /** Sets the focus after its row was removed. */
  function focusNear(/** @type {number} */ at, /** @type {boolean} */ isButton) {
    const row = list.children[Math.min(at, list.children.length - 1)];
    const there = row?.querySelector(isButton ? "button" : "a, button");
    (there instanceof HTMLElement ? there : title).focus();
  }

  /** Drops rows that are no longer saved, and loads those that were saved meanwhile. */
  function follow(/** @type {Snapshot["saved"]} */ now) {
    if (now === saved) return;
    const before = saved;
    saved = now;
    known = { ...known, rows: stillSaved(known.rows, now) };
    if (node.hidden) return;
    const isShort = known.rows.length === 0 && !known.isWhole;
    if (isLoading || isShort || hasNew(before, now)) look();
  }

  app.onEvent((before, event) => {
    const { snapshot } = app.state.get();
    const changed = withChange(known.rows, event);
    const rows = snapshot ? withoutLeft(changed, before, snapshot) : changed;
    if (rows === known.rows) return;
    known = { ...known, rows };
    draw();
  });

  return {
    node,
    show(/** @type {State} */ { route, snapshot, connection }) {
      const wasHidden = node.hidden;
      node.hidden = route.name !== "saved" || !snapshot;
      if (!snapshot) {
        known = { rows: [], isWhole: false };
        isLoaded = false;
        return;
      }
      follow(snapshot.saved);
      if (node.hidden) return;
      const isBack = wasCut && connection === "live";
      if (connection !== "live") wasCut ||= connection === "waiting";
      else wasCut = false;
      if (wasHidden || isBack) look();
      draw();
    },
    /** Sets the focus on the row of the message that was just left, or on the title. */
    focus(/** @type {import("../app/route.js").Route} */ before) {
      const id = "message" in before ? before.message : undefined;
      const at = known.rows.findIndex((row) => id !== undefined && row.message_id === id);
      (rowAt(at) ?? title).focus();
    },
  };
}

/** The name of the conversation of a row; "" if it is not known. */
function placeOf(/** @type {Snapshot} */ { conversations }, /** @type {SavedMessage} */ row) {
  const conversation = conversations[convOfRow(row)];
  return conversation ? fullNameOf(conversation) : "";
}

function rowNode(
  /** @type {SavedMessage} */ row,
  /** @type {string} */ place,
  /** @type {string} */ me,
  /** @type {() => void} */ onRemove,
) {
  const facts = { "aria-label": t("Remove from saved"), title: t("Remove from saved"), onclick: onRemove };
  return h(
    "li",
    { class: "saved-row" },
    row.message ? messageLink(row, row.message, place, me) : goneMessage(row, place),
    h("button", { class: "button-icon", type: "button", ...facts }, icon("close")),
  );
}

function messageLink(
  /** @type {SavedMessage} */ row,
  /** @type {import("../sync/types.js").Message} */ message,
  /** @type {string} */ place,
  /** @type {string} */ me,
) {
  const { user_id: id, name, avatar_url: imageUrl } = message;
  return h(
    "a",
    { class: "saved-message", href: messageHref(convOfRow(row), row.message_id) },
    avatar({ id, name, imageUrl, size: "small" }),
    h("span", { class: "saved-name" }, h("bdi", {}, id === me ? t("You") : name)),
    " ",
    timeNode(message.created_at),
    " ",
    place !== "" && h("span", { class: "saved-place quiet" }, h("bdi", {}, place)),
    " ",
    h("span", { class: "saved-text", dir: "auto" }, oneLine(message)),
  );
}

/** A row whose message was deleted, or is in a conversation that the user left. */
function goneMessage(/** @type {SavedMessage} */ { saved_at: at }, /** @type {string} */ place) {
  return h(
    "div",
    { class: "saved-message saved-gone" },
    h("span", { class: "saved-name quiet" }, t("This message is no longer there.")),
    timeNode(at),
    place !== "" && h("span", { class: "saved-place quiet" }, h("bdi", {}, place)),
  );
}

const timeNode = (/** @type {number} */ at) =>
  h("time", { class: "quiet", datetime: isoTime(at), title: fullTime(at) }, shortTime(at, Date.now() / 1000));
