/**
 * A page with messages from several conversations, the newest first. Each row leads to its message.
 *
 * Loads the rows when it is opened, and again after a lost connection. Follows the events of their messages.
 */

import { fullNameOf } from "../conversation/naming.js";
import { apartFrame, walk } from "../conversation_list/apart_page.js";
import { inTurn } from "../sync/in_turn.js";
import { reasonOf } from "../text/reason.js";
import { dayKey } from "../text/time.js";
import { h, reconcile, setText } from "../ui/dom.js";
import { t } from "../words/words.js";
import { convOfRow, withFirstPage, withNextPage } from "./message_list.js";

/** @typedef {import("../sync/state.js").State} State */
/** @typedef {import("../sync/types.js").Snapshot} Snapshot */
/** @typedef {import("../sync/types.js").Event} Event */
/** @typedef {import("./message_list.js").Row} Row */

/**
 * Facts with which a row is drawn: the name of its conversation, "" if it is not known; who reads; what the page adds.
 * @typedef {{ place: string, me: string, note?: import("./listed_message.js").Note }} Facts
 */

/**
 * @template {Row} Some
 * @typedef {object} Parts
 * @property {import("../app/route.js").Route["name"]} route the name of its address
 * @property {string} label the title
 * @property {(Node | string)[]} nothing what is shown while there are none
 * @property {(last?: Some) => Promise<Some[]>} load the page after a row, or the first one
 * @property {(row: Some, facts: Facts) => HTMLElement} draw
 * @property {(rows: Some[], snapshot: Snapshot) => (Facts["note"] | undefined)[]} [notes] what is added to each row
 * @property {(rows: Some[], snapshot: Snapshot) => Change<Some> | null} [follow] the rows after the state changed
 * @property {(rows: Some[], event: Event, before: Snapshot, now: Snapshot) => Change<Some>} hear the rows after an event
 */

/**
 * The rows after a change. `isStale` means that the first page has rows that are not loaded.
 * @template {Row} Some
 * @typedef {{ rows: Some[], isStale?: boolean }} Change
 */

/**
 * @template {Row} Some
 * @param {import("../app/app.js").App} app
 * @param {Parts<Some>} parts
 */
export function createMessageListPage(app, { route: name, label, nothing, load, draw, notes, follow, hear }) {
  const list = h("ul", { class: "message-list", "aria-label": label, onkeydown: walk });
  const status = h("p", { class: "quiet", role: "status" });
  const alert = h("p", { class: "alert", role: "alert" });
  const more = h("button", { class: "button", type: "button", hidden: true, onclick: next });
  const empty = h("div", { class: "groups-empty", hidden: true }, ...nothing);
  const { node, title } = apartFrame(label, alert, list, empty, status, more);

  /** @type {import("./message_list.js").MessageList<Some>} */
  let known = { rows: [], isWhole: false };
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
      const page = await load(last);
      // Somebody else may be signed in by now.
      if (me !== app.state.get().snapshot?.user.id) return;
      known = last ? withNextPage(known, page) : withFirstPage(known, page);
      isLoaded = true;
    } catch (error) {
      setText(alert, reasonOf(error));
    } finally {
      isLoading = false;
      setText(status, "");
      show();
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

  function show() {
    const { snapshot } = app.state.get();
    if (!snapshot || node.hidden) return;
    const focused = [...list.children].findIndex((row) => row.contains(document.activeElement));
    const isButton = document.activeElement?.tagName === "BUTTON";
    const today = dayKey(Date.now() / 1000);
    const added = notes?.(known.rows, snapshot);
    reconcile(
      list,
      known.rows.map((row, at) => {
        const facts = { place: placeOf(snapshot, row), me: snapshot.user.id, note: added?.[at] };
        return { key: row.id, sign: JSON.stringify([row, facts, today]), build: () => draw(row, facts) };
      }),
      show,
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

  /** Takes changed rows. Loads the first page again if it has others, or if a running request may bring old ones. */
  function take(/** @type {Change<Some>} */ { rows, isStale = false }) {
    const isChange = rows !== known.rows;
    known = { ...known, rows };
    if (node.hidden) return;
    const isShort = rows.length === 0 && !known.isWhole;
    if ((isChange && isLoading) || (isLoaded && (isStale || isShort))) look();
    if (isChange) show();
  }

  app.onEvent((before, event) => {
    const { snapshot } = app.state.get();
    if (snapshot) take(hear(known.rows, event, before, snapshot));
  });

  return {
    node,
    show(/** @type {State} */ { route, snapshot, connection }) {
      const wasHidden = node.hidden;
      node.hidden = route.name !== name || !snapshot;
      if (!snapshot) {
        known = { rows: [], isWhole: false };
        isLoaded = false;
        return;
      }
      const change = follow?.(known.rows, snapshot);
      if (change) take(change);
      if (node.hidden) return;
      const isBack = wasCut && connection === "live";
      if (connection !== "live") wasCut ||= connection === "waiting";
      else wasCut = false;
      if (wasHidden || isBack) look();
      show();
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
function placeOf(/** @type {Snapshot} */ { conversations }, /** @type {Row} */ row) {
  const conversation = conversations[convOfRow(row)];
  return conversation ? fullNameOf(conversation) : "";
}
