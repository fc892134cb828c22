/**
 * The bar that replaces the composer in a message request: who wants to write, and the buttons that decide.
 *
 * Owns the words for each state of a request, and what is said if a decision fails.
 */

import { requestsHref } from "../app/route.js";
import { askToBlock } from "../people/block_question.js";
import { reasonOf } from "../text/reason.js";
import { h, setText } from "../ui/dom.js";
import { pages } from "../ui/window.js";
import { t } from "../words/words.js";

/** @typedef {import("../sync/types.js").ChatConversation} ChatConversation */

export function createRequestBar(/** @type {import("../app/app.js").App} */ app) {
  /** @type {ChatConversation | null} */
  let shown = null;
  let isBusy = false;
  const words = h("p", { role: "status" });
  const alert = h("p", { class: "alert", role: "alert" });
  const button = (
    /** @type {string} */ label,
    /** @type {string} */ look,
    /** @type {(request: ChatConversation) => unknown} */ act,
  ) => h("button", { class: look, type: "button", onclick: () => shown && act(shown) }, label);
  const accept = button(t("Accept"), "button button-primary", ({ conv, other }) =>
    decide(conv, () => app.people.acceptRequest(other.id)),
  );
  const decline = button(t("Decline"), "button", ({ conv, other }) =>
    decide(conv, async () => {
      await app.people.declineRequest(other.id);
      if (shown?.conv === conv) pages.close(requestsHref);
    }),
  );
  const block = button(t("Block"), "button button-danger", ({ other }) => askToBlock(app, other));
  const node = h(
    "section",
    { class: "blocked-bar request-bar", "aria-label": t("Message request"), hidden: true },
    words,
    h("div", { class: "button-row" }, accept, decline, block),
    alert,
  );

  /** Runs one decision at a time. */
  async function decide(/** @type {string} */ conv, /** @type {() => Promise<void>} */ run) {
    if (isBusy) return;
    isBusy = true;
    setText(alert, "");
    try {
      await run();
    } catch (error) {
      if (shown?.conv === conv) setText(alert, reasonOf(error));
    } finally {
      isBusy = false;
    }
  }

  return {
    node,
    /** Shows the bar for a request that is open or declined; null hides it. */
    show(/** @type {ChatConversation | null} */ request) {
      if (request?.conv !== shown?.conv || request?.request !== shown?.request) setText(alert, "");
      shown = request;
      node.hidden = request === null;
      if (!request) return;
      const { name } = request.other;
      decline.hidden = request.request === "declined";
      setText(
        words,
        request.request === "declined"
          ? t("You declined the request of {name}. {name} can write to you again once you accept it.", {
              name,
            })
          : t("{name} wants to write to you. {name} does not see that you have read this until you accept.", {
              name,
            }),
      );
    },
  };
}
