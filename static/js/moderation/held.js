/**
 * The section for the messages of the open group that wait for approval: all of them for those who decide, and
 * otherwise the user's own. In the details of a group, those of its topics follow for those who decide.
 *
 * Nothing is shown where there are none.
 */

import { createPlacedLists } from "../groups/group_lists.js";
import { may } from "../groups/permissions.js";
import { isReadOnly } from "../groups/standstill.js";
import { avatar } from "../people/avatar.js";
import { oneLine } from "../text/one_line.js";
import { exactTime } from "../text/time.js";
import { h, reconcile } from "../ui/dom.js";
import { t } from "../words/words.js";
import { moderatedPlaces, topicNameIn } from "./places.js";
import { ruleName } from "./rule_list.js";

/** @typedef {import("../sync/types.js").Group} Group */
/** @typedef {import("../groups/group_calls.js").Held} Held */
/** @typedef {import("../groups/group_lists.js").Placed<Held[]>} Placed */

export function createHeld(/** @type {import("../app/app.js").App} */ app) {
  const rows = h("ul", { class: "group-bots" });
  const lists = createPlacedLists({
    app,
    nothing: /** @type {Held[]} */ ([]),
    placesOf: moderatedPlaces,
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

  function draw(
    /** @type {readonly Placed[]} */ placed,
    /** @type {Group | null} */ group,
    /** @type {string} */ me,
  ) {
    node.hidden = placed.every(({ lists: held }) => held.length === 0);
    const decides = group !== null && may(group, me, "decide_reports") && !isReadOnly(group);
    reconcile(
      rows,
      placed.flatMap(({ place, lists: held }) =>
        held.map((one) => row(one, place, decides && one.user_id !== me)),
      ),
    );
  }

  const settle = (/** @type {Held} */ { id }, /** @type {Group} */ place, /** @type {boolean} */ approve) =>
    lists.change(place, (at) => app.groups.settleHeld(at, id, { approve }));

  /** @returns {import("../ui/dom.js").Row} */
  function row(/** @type {Held} */ held, /** @type {Group} */ place, /** @type {boolean} */ decides) {
    const { id, message, rule_name, by_operators, expires_at: until } = held;
    const { user_id: author, name, avatar_url: imageUrl } = message;
    const topic = topicNameIn(lists.group(), place);
    const button = (
      /** @type {string} */ words,
      /** @type {string} */ label,
      /** @type {boolean} */ approve,
    ) =>
      h(
        "button",
        { class: "button", type: "button", "aria-label": label, onclick: () => settle(held, place, approve) },
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
          topic !== null && h("span", { class: "bot-line" }, t("In the topic {topic}", { topic })),
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
    return { key: `${place.id} ${id}`, sign: JSON.stringify([held, topic, decides]), build };
  }

  return { node, show: lists.show };
}
