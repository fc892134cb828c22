/**
 * The section for the bans and timeouts of the open group, for those who may end them.
 *
 * Nothing is shown where nobody is banned or timed out.
 */

import { createGroupLists } from "../groups/group_lists.js";
import { memberOf } from "../groups/groups.js";
import { may } from "../groups/permissions.js";
import { avatar } from "../people/avatar.js";
import { exactTime } from "../text/time.js";
import { h, reconcile } from "../ui/dom.js";
import { t } from "../words/words.js";

/** @typedef {import("../sync/types.js").Group} Group */
/** @typedef {import("../groups/group_calls.js").Ban} Ban */
/** @typedef {import("../groups/group_calls.js").Timeout} Timeout */

/** @typedef {{ bans: Ban[], timeouts: Timeout[] }} Out the bans and timeouts of a group */

export function createBans(/** @type {import("../app/app.js").App} */ app) {
  const rows = h("ul", { class: "group-bots" });
  const lists = createGroupLists({
    app,
    nothing: /** @type {Out} */ ({ bans: [], timeouts: [] }),
    async load({ id }) {
      const [bans, permissions] = await Promise.all([app.groups.bans(id), app.groups.permissions(id)]);
      return { bans, timeouts: permissions.timeouts ?? [] };
    },
    mayChange: (type) => /^(ban|timeout)\./.test(type),
    draw,
    sees: (group, me) => may(group, me, "ban"),
  });
  const node = h(
    "section",
    { class: "panel-section", "aria-label": t("Banned and timed out"), hidden: true },
    h("h3", {}, t("Banned and timed out")),
    rows,
    lists.trouble,
  );

  function draw(/** @type {Out} */ { bans, timeouts }, /** @type {Group | null} */ group) {
    node.hidden = bans.length + timeouts.length === 0;
    reconcile(rows, [
      ...timeouts.map((timeout) => timeoutRow(timeout, group)),
      ...bans.map((ban) =>
        row(ban, { act: t("Lift the ban"), label: t("Lift the ban of {name}", ban) }, () => lift(ban)),
      ),
    ]);
  }

  /** The row of a member who is timed out; their name is that in the group. */
  function timeoutRow(/** @type {Timeout} */ timeout, /** @type {Group | null} */ group) {
    const member = group ? memberOf(group, timeout.user_id) : undefined;
    const name = member?.nickname ?? "";
    const words = { act: t("End the timeout"), label: t("End the timeout of {name}", { name }) };
    const end = () => lists.change((id) => app.groups.endTimeout(id, member?.id ?? ""));
    return row({ ...timeout, name }, words, end);
  }

  const lift = (/** @type {Ban} */ ban) => lists.change((id) => app.groups.unban(id, ban.user_id));

  return { node, show: lists.show };
}

/** @returns {import("../ui/dom.js").Row} */
function row(
  /** @type {{ user_id: string, name: string, reason: string | null, until: number | null }} */ shown,
  /** @type {{ act: string, label: string }} */ words,
  /** @type {() => void} */ onclick,
) {
  const { user_id: id, name, reason, until } = shown;
  const end =
    until === null ? t("Until somebody lifts the ban") : t("Until {time}", { time: exactTime(until) });
  const build = () =>
    h(
      "li",
      { class: "group-bot" },
      avatar({ id, name, imageUrl: null }),
      h(
        "div",
        { class: "bot-words" },
        h("span", { class: "bot-name" }, h("bdi", { class: "ends" }, name)),
        reason !== null && h("span", { class: "bot-line", dir: "auto" }, reason),
        h("span", { class: "bot-line" }, end),
        h(
          "p",
          { class: "unsent-actions" },
          h("button", { class: "button", type: "button", "aria-label": words.label, onclick }, words.act),
        ),
      ),
    );
  return { key: `${words.act} ${id}`, sign: JSON.stringify(shown), build };
}
