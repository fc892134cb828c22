/** The page with the message requests about which the user has not decided. */

import { h, reconcile } from "../dom.js";
import { icon } from "../icons.js";
import { CLOSES } from "../page_history.js";
import { chatHref, convOf, homeHref, privacyHref } from "../route.js";
import { openRequests } from "../store.js";
import { t } from "../words.js";
import { listRow, summary } from "./list_row.js";

/** Nothing is written in a request. @type {import("../drafts.js").Content} */
const NO_DRAFT = { text: "", attachments: [] };

export function createMessageRequests() {
  const title = h("h2", { class: "head-title", tabindex: "-1" }, t("Message requests"));
  const rows = h("ul", { "aria-label": t("Message requests"), onkeydown: walk });
  const empty = h(
    "div",
    { class: "groups-empty" },
    h("p", {}, t("No message requests.")),
    h(
      "p",
      { class: "quiet" },
      t("People who share no group with you can send you requests, if you allow it."),
    ),
    h("a", { class: "button", href: privacyHref }, t("Choose who can write to you")),
  );
  const node = h(
    "section",
    { class: "account", "aria-label": t("Message requests"), hidden: true },
    h(
      "header",
      { class: "head" },
      h(
        "a",
        {
          class: "button-icon head-back",
          href: homeHref,
          "aria-label": t("Back to all conversations"),
          ...CLOSES,
        },
        icon("back"),
      ),
      h("div", { class: "head-words" }, title),
    ),
    h("div", { class: "account-body" }, h("div", { class: "requests-page" }, rows, empty)),
  );

  /** Goes through the list with the arrow keys. */
  function walk(/** @type {KeyboardEvent} */ event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const links = [...rows.querySelectorAll("a")];
    const next = step && links[links.indexOf(/** @type {any} */ (document.activeElement)) + step];
    if (!next) return;
    event.preventDefault();
    next.focus();
  }

  return {
    node,
    show(/** @type {import("../state.js").State} */ state) {
      const { route, snapshot } = state;
      node.hidden = route.name !== "requests" || !snapshot;
      if (node.hidden || !snapshot) return;
      const now = Date.now() / 1000;
      const requests = openRequests(snapshot);
      const hadFocus = rows.contains(document.activeElement);
      reconcile(
        rows,
        requests.map((one) =>
          // Nothing counts as unread before it is accepted.
          listRow({ ...summary(one, state, snapshot.user.id, now, NO_DRAFT), unread: 0, mentions: 0 }),
        ),
      );
      rows.hidden = requests.length === 0;
      empty.hidden = requests.length > 0 || snapshot.isPartial === true;
      // The row with the focus is gone: somebody decided on another device.
      if (hadFocus && document.activeElement === document.body) title.focus();
    },
    /** Sets the focus on the request that was just left, or on the title. */
    focus(/** @type {import("../route.js").Route} */ before) {
      const conv = convOf(before);
      const left = [...rows.querySelectorAll("a")].find(
        (link) => conv !== null && link.getAttribute("href") === chatHref(conv),
      );
      (left ?? title).focus();
    },
  };
}
