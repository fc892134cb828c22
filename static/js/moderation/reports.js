/**
 * The section for the open reports of the open group, for those who resolve them. In the details of a group, those of
 * its topics follow.
 *
 * Nothing is shown where there are none.
 */

import { createPlacedLists } from "../groups/group_lists.js";
import { may } from "../groups/permissions.js";
import { avatar } from "../people/avatar.js";
import { oneLine } from "../text/one_line.js";
import { h, reconcile } from "../ui/dom.js";
import { t } from "../words/words.js";
import { moderatedPlaces, topicNameIn } from "./places.js";
import { REASONS } from "./report_form.js";
import { openResolution } from "./resolution_form.js";
import { ruleName } from "./rule_list.js";

/** @typedef {import("../sync/types.js").Group} Group */
/** @typedef {import("../groups/group_calls.js").Report} Report */
/** @typedef {import("../groups/group_calls.js").Appeal} Appeal */
/** @typedef {{ reports: Report[], appeals: Appeal[] }} Lists */
/** @typedef {import("../groups/group_lists.js").Placed<Lists>} Placed */

export function createReports(/** @type {import("../app/app.js").App} */ app) {
  const rows = h("ul", { class: "group-bots" });
  const lists = createPlacedLists({
    app,
    nothing: /** @type {Lists} */ ({ reports: [], appeals: [] }),
    placesOf: moderatedPlaces,
    load: ({ id }) => app.groups.reports(id),
    mayChange: (type) => type.startsWith("report."),
    draw,
    sees: (group, me) => may(group, me, "decide_reports"),
  });
  const node = h(
    "section",
    { class: "panel-section", "aria-label": t("Reports"), hidden: true },
    h("h3", {}, t("Reports")),
    rows,
    lists.trouble,
  );

  function draw(/** @type {readonly Placed[]} */ placed) {
    const shown = placed.flatMap(({ place, lists: { reports, appeals } }) => [
      ...appeals.map((appeal) => appealRow(appeal, place)),
      ...reports.map((report) => row(report, place)),
    ]);
    node.hidden = shown.length === 0;
    reconcile(rows, shown);
  }

  const settle = (/** @type {Appeal} */ { id }, /** @type {Group} */ place, /** @type {string} */ action) =>
    lists.change(place, (at) => app.groups.resolveReport(at, id, { action }));

  /** @returns {import("../ui/dom.js").Row} */
  function appealRow(/** @type {Appeal} */ appeal, /** @type {Group} */ place) {
    const { id, user_id: user, name, act, reason, text } = appeal;
    const button = (/** @type {string} */ words, /** @type {string} */ label, /** @type {string} */ action) =>
      h(
        "button",
        {
          class: "button",
          type: "button",
          "aria-label": label,
          onclick: () => settle(appeal, place, action),
        },
        words,
      );
    const build = () =>
      h(
        "li",
        { class: "group-bot" },
        avatar({ id: user, name, imageUrl: null }),
        h(
          "div",
          { class: "bot-words" },
          h("span", { class: "bot-name" }, h("bdi", { class: "ends" }, name)),
          h(
            "span",
            { class: "bot-line" },
            act === "ban" ? t("Appeals against a ban") : t("Appeals against a timeout"),
          ),
          reason !== null && h("span", { class: "bot-line", dir: "auto" }, reason),
          h("q", { class: "bot-line", dir: "auto" }, text),
          h(
            "p",
            { class: "unsent-actions" },
            button(
              act === "ban" ? t("Lift the ban") : t("End the timeout"),
              t("Grant the appeal of {name}", { name }),
              "undo",
            ),
            button(t("Dismiss"), t("Dismiss the appeal of {name}", { name }), "dismiss"),
          ),
        ),
      );
    return { key: `appeal ${id}`, sign: JSON.stringify(appeal), build };
  }

  /** Resolves a report, then loads the list again; throws the refusal, which the window shows. */
  async function resolve(
    /** @type {Report} */ report,
    /** @type {Group} */ place,
    /** @type {import("../groups/group_calls.js").NewResolution} */ resolution,
  ) {
    await app.groups.resolveReport(place.id, report.id, resolution);
    lists.reload(place);
  }

  /** @returns {import("../ui/dom.js").Row} */
  function row(/** @type {Report} */ report, /** @type {Group} */ place) {
    const { id, message, reasons, texts, rules, earlier_texts: earlier } = report;
    const { user_id: author, name, avatar_url: imageUrl } = message;
    const why = Object.entries(reasons).map(([reason, count]) => {
      const words = REASONS[reason] ?? reason;
      return count > 1 ? t("{reason}: {count}", { reason: words, count }) : words;
    });
    const label = t("Resolve the report about {name}", { name });
    const topic = topicNameIn(lists.group(), place);
    const onclick = () => openResolution(report, place, (resolution) => resolve(report, place, resolution));
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
          ...earlier.map((text) =>
            h("span", { class: "bot-line", dir: "auto" }, t("Before it was edited: {text}", { text })),
          ),
          ...why.map((words) => h("span", { class: "bot-line" }, words)),
          ...rules.map(({ name: rule, by_operators }) =>
            h(
              "span",
              { class: "bot-line" },
              t("Reported by the rule {rule}", { rule: ruleName(rule, by_operators) }),
            ),
          ),
          ...texts.map((text) => h("q", { class: "bot-line", dir: "auto" }, text)),
          h(
            "p",
            { class: "unsent-actions" },
            h("button", { class: "button", type: "button", "aria-label": label, onclick }, t("Resolve…")),
          ),
        ),
      );
    return { key: `${place.id} ${id}`, sign: JSON.stringify([report, topic]), build };
  }

  return { node, show: lists.show };
}
