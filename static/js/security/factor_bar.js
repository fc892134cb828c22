/**
 * The bar above the page for somebody who has to set up a second factor.
 *
 * It leads to the section of the account that sets one up, and is not shown over the account. Closing it holds for this
 * visit.
 */

import { factorsHref } from "../app/route.js";
import { h, setText } from "../ui/dom.js";
import { icon } from "../ui/icons.js";
import { t } from "../words/words.js";
import { requiredWords } from "./required_factor.js";

export function createFactorBar() {
  const words = h("p", {});
  const close = h(
    "button",
    { class: "button-icon", type: "button", "aria-label": t("Close"), onclick: end },
    icon("close"),
  );
  const node = h(
    "section",
    { class: "factor-bar", "aria-label": t("Two-factor log-in"), hidden: true },
    words,
    h("a", { class: "button", href: factorsHref }, t("Set up one-time codes")),
    close,
  );
  let isClosed = false;

  function end() {
    isClosed = true;
    node.hidden = true;
  }

  return {
    node,
    show(/** @type {import("../sync/state.js").State} */ { route, snapshot }) {
      const until = snapshot?.user.second_factor?.until;
      node.hidden = isClosed || until === undefined || route.name === "account";
      if (until !== undefined) setText(words, requiredWords(until, Date.now() / 1000));
    },
    focus() {},
  };
}
