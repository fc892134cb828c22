/**
 * A page with conversations that stand apart from the list: message requests, archived groups.
 *
 * Nothing counts as unread there.
 */

import { CLOSES } from "../app/page_history.js";
import { convOf, homeHref, hrefOf } from "../app/route.js";
import { isTopic } from "../topics/topics.js";
import { h, reconcile } from "../ui/dom.js";
import { icon } from "../ui/icons.js";
import { t } from "../words/words.js";
import { listRow, summary } from "./list_row.js";

/** @typedef {import("../sync/types.js").Snapshot} Snapshot */
/** @typedef {import("../sync/types.js").Conversation} Conversation */

/** Drafts are not shown. @type {import("../composer/drafts.js").Content} */
const NO_DRAFT = { text: "", attachments: [] };

/**
 * @param {object} parts
 * @param {import("../app/route.js").Route["name"]} parts.route the name of its address
 * @param {string} parts.label the title
 * @param {(Node | string)[]} parts.nothing what is shown while there are none
 * @param {(snapshot: Snapshot) => Conversation[]} parts.listed
 */
export function createApartPage({ route: name, label, nothing, listed }) {
  const rows = h("ul", { "aria-label": label, onkeydown: walk });
  const empty = h("div", { class: "groups-empty" }, ...nothing);
  const { node, title } = apartFrame(label, rows, empty);

  return {
    node,
    show(/** @type {import("../sync/state.js").State} */ state) {
      const { route, snapshot } = state;
      node.hidden = route.name !== name || !snapshot;
      if (node.hidden || !snapshot) return;
      const now = Date.now() / 1000;
      const conversations = listed(snapshot);
      const hadFocus = rows.contains(document.activeElement);
      reconcile(
        rows,
        conversations.map((one) =>
          listRow({
            ...summary(one, state, snapshot.user.id, now, NO_DRAFT, { isNested: isTopic(one) }),
            unread: 0,
            mentions: 0,
          }),
        ),
      );
      rows.hidden = conversations.length === 0;
      empty.hidden = conversations.length > 0 || snapshot.isPartial === true;
      // The row with the focus is gone: something changed on another device.
      if (hadFocus && document.activeElement === document.body) title.focus();
    },
    /** Sets the focus on the conversation that was just left, or on the title. */
    focus(/** @type {import("../app/route.js").Route} */ before) {
      const conv = convOf(before);
      const left = [...rows.querySelectorAll("a")].find(
        (link) => conv !== null && link.getAttribute("href") === hrefOf(conv),
      );
      (left ?? title).focus();
    },
  };
}

/** The frame of a page apart from the list: the head with the way back and the title, and below it what the page shows. */
export function apartFrame(/** @type {string} */ label, /** @type {Node[]} */ ...content) {
  const title = h("h2", { class: "head-title", tabindex: "-1" }, label);
  const back = {
    class: "button-icon head-back",
    href: homeHref,
    "aria-label": t("Back to all conversations"),
  };
  const node = h(
    "section",
    { class: "account", "aria-label": label, hidden: true },
    h(
      "header",
      { class: "head" },
      h("a", { ...back, ...CLOSES }, icon("back")),
      h("div", { class: "head-words" }, title),
    ),
    h("div", { class: "account-body" }, h("div", { class: "apart-page" }, ...content)),
  );
  return { node, title };
}

/** Goes through the links of a list with the arrow keys; from a button of a row, through the buttons. */
export function walk(/** @type {KeyboardEvent} */ event) {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const { currentTarget: list, target } = event;
  if (!step || !(list instanceof Element) || !(target instanceof Element)) return;
  const all = [...list.querySelectorAll(target.tagName)];
  const next = all[all.indexOf(target) + step];
  if (!(next instanceof HTMLElement)) return;
  event.preventDefault();
  next.focus();
}
