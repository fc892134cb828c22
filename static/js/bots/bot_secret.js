/**
 * A new secret, shown until the user says that they have kept it.
 *
 * Leaving the page and coming back does not lose the secret; reloading the page does.
 */

import { exactTime } from "../text/time.js";
import { copyable } from "../ui/copy.js";
import { fillWith, h } from "../ui/dom.js";
import { icon } from "../ui/icons.js";
import { t } from "../words/words.js";

export function createFreshSecret(
  /** @type {import("./bots.js").BotActs} */ bots,
  /** @type {string} */ botId,
  /** @type {() => void} */ onKept,
) {
  const node = h("section", { class: "fresh", "aria-label": t("Secret"), tabindex: "-1" });
  /** @type {string | undefined} */
  let shown;

  function show() {
    const fresh = bots.freshSecret(botId);
    node.hidden = !fresh;
    if (fresh?.secret === shown) return;
    shown = fresh?.secret;
    fillWith(node, ...(fresh ? words(fresh) : []));
  }

  function words(/** @type {import("./bots.js").Fresh} */ { secret, until }) {
    const kept = () => {
      bots.secretIsKept(botId);
      show();
      onKept();
    };
    return [
      h("h3", {}, t("Its secret")),
      h("p", { class: "fresh-warning" }, icon("warning"), t("Copy it now. It will not be shown again.")),
      copyable({ label: t("secret"), text: secret }),
      h(
        "p",
        { class: "quiet" },
        t("It signs callbacks. A bot in pull mode reads messages with it."),
        until !== null &&
          t(" The previous secret stays valid until {it}. Until then, callbacks are signed with both.", {
            it: exactTime(until),
          }),
      ),
      h("button", { class: "button", type: "button", onclick: kept }, t("I have saved it")),
    ];
  }

  return { node, show, focus: () => node.focus() };
}
