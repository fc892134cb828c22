/**
 * The section for the messages of the open group that wait for approval: all of them for those who decide, and
 * otherwise the user's own.
 *
 * Nothing is shown where there are none.
 */

import { createGroupLists } from "../groups/group_lists.js";
import { may } from "../groups/permissions.js";
import { isReadOnly } from "../groups/standstill.js";
import { avatar } from "../people/avatar.js";
import { oneLine } from "../text/one_line.js";
import { exactTime } from "../text/time.js";
import { h, reconcile } from "../ui/dom.js";
import { t } from "../words/words.js";
import { ruleName } from "./rule_list.js";

/** @typedef {import("../sync/types.js").Group} Group */
/** @typedef {import("../groups/group_calls.js").Held} Held */

export function createHeld(/** @type {import("../app/app.js").App} */ app) {
  const rows = h("ul", { class: "group-bots" });
  const lists = createGroupLists({
    app,
    nothing: /** @type {Held[]} */ ([]),
    load: ({ id }) => app.groups.held(id),
    mayChange: (type) => type.startsWith("held."),
    draw,
  });
  const node = h(
    "section",
    { class: "panel-section", "aria-label": t("Waiting for approval"), hidden: true },
    h("h3", {}, t("Waiting for approval")),
    rows,
    lists.trouble,
  );

  function draw(/** @type {Held[]} */ held, /** @type {Group | null} */ group, /** @type {string} */ me) {
    node.hidden = held.length === 0;
    const decides = group !== null && may(group, me, "decide_reports") && !isReadOnly(group);
    reconcile(
      rows,
      held.map((one) => row(one, decides && one.user_id !== me)),
    );
  }

  const settle = (/** @type {Held} */ { id }, /** @type {boolean} */ approve) =>
    lists.change((group) => app.groups.settleHeld(group, id, { approve }));

  /** @returns {import("../ui/dom.js").Row} */
  function row(/** @type {Held} */ held, /** @type {boolean} */ decides) {
    const { id, message, rule_name, by_operators, expires_at: until } = held;
    const { user_id: author, name, avatar_url: imageUrl } = message;
    const button = (
      /** @type {string} */ words,
      /** @type {string} */ label,
      /** @type {boolean} */ approve,
    ) =>
      h(
        "button",
        { class: "button", type: "button", "aria-label": label, onclick: () => settle(held, approve) },
        words,
      );
    const build = () =>
      h(
        "li",
        { class: "group-bot" },
        avatar({ id: author, name, imageUrl }),
        h(
          "div",
          { class: "bot-words" },
          h("span", { class: "bot-name" }, h("bdi", { class: "ends" }, name)),
          h("span", { class: "bot-line", dir: "auto" }, oneLine(message)),
          decides &&
            h(
              "span",
              { class: "bot-line" },
              t("Held by the rule {rule}", { rule: ruleName(rule_name, by_operators) }),
            ),
          h("span", { class: "bot-line" }, t("Ends {time}", { time: exactTime(until) })),
          decides &&
            h(
              "p",
              { class: "unsent-actions" },
              button(t("Approve"), t("Approve the message of {name}", { name }), true),
              button(t("Deny"), t("Deny the message of {name}", { name }), false),
            ),
        ),
      );
    return { key: id, sign: JSON.stringify([held, decides]), build };
  }

  return { node, show: lists.show };
}
