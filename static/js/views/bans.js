/**
 * The section for the bans and timeouts of the open group, for those who may end them.
 *
 * Owns the lists: they are loaded when the panel of the group is opened, and again when they may have changed.
 * Nothing is shown where nobody is banned or timed out.
 */

import { h, reconcile } from "../dom.js";
import { memberOf } from "../groups.js";
import { may } from "../permissions.js";
import { convOfGroup } from "../store.js";
import { exactTime } from "../time.js";
import { t } from "../words.js";
import { avatar } from "./avatar.js";

/** @typedef {import("../types.js").Group} Group */
/** @typedef {import("../group_calls.js").Ban} Ban */
/** @typedef {import("../group_calls.js").Timeout} Timeout */

export function createBans(/** @type {import("../app.js").App} */ app) {
  /** @type {Group | null} */
  let shown = null;
  /** @type {Ban[]} */
  let bans = [];
  /** @type {Timeout[]} */
  let timeouts = [];
  let mayLift = false;
  /** The number of the newest load: answers to earlier ones come too late. */
  let newest = 0;
  let connection = app.state.get().connection;

  const rows = h("ul", { class: "group-bots" });
  const trouble = h("p", { class: "quiet", role: "alert" });
  const node = h(
    "section",
    { class: "panel-section", "aria-label": t("Banned and timed out"), hidden: true },
    h("h3", {}, t("Banned and timed out")),
    rows,
    trouble,
  );

  async function load(/** @type {string} */ groupId) {
    newest += 1;
    const own = newest;
    const lists = () => Promise.all([app.groups.bans(groupId), app.groups.permissions(groupId)]);
    const found = mayLift ? await lists().catch(() => null) : [[], {}];
    if (!found || own !== newest) return;
    const [banned, permissions] = /** @type {[Ban[], import("../group_calls.js").Permissions]} */ (found);
    bans = banned;
    timeouts = permissions.timeouts ?? [];
    draw();
  }

  function draw() {
    node.hidden = bans.length + timeouts.length === 0;
    reconcile(rows, [
      ...timeouts.map((timeout) => timeoutRow(timeout)),
      ...bans.map((ban) =>
        row(ban, { act: t("Lift the ban"), label: t("Lift the ban of {name}", ban) }, () => lift(ban)),
      ),
    ]);
  }

  /** The row of a member who is timed out; their name is that in the group. */
  function timeoutRow(/** @type {Timeout} */ timeout) {
    const member = shown ? memberOf(shown, timeout.user_id) : undefined;
    const name = member?.nickname ?? "";
    const words = { act: t("End the timeout"), label: t("End the timeout of {name}", { name }) };
    const end = () => change((id) => app.groups.endTimeout(id, member?.id ?? ""));
    return row({ ...timeout, name }, words, end);
  }

  const lift = (/** @type {Ban} */ ban) => change((id) => app.groups.unban(id, ban.user_id));

  async function change(/** @type {(groupId: string) => Promise<unknown>} */ run) {
    const group = shown;
    if (!group) return;
    trouble.textContent = "";
    try {
      await run(group.id);
    } catch (error) {
      trouble.textContent = error instanceof Error ? error.message : "";
    }
    if (shown?.id === group.id) load(group.id);
  }

  app.onEvent((_, { conv, type }) => {
    if (shown && conv === convOfGroup(shown.id) && /^(ban|timeout)\./.test(type)) load(shown.id);
  });

  return {
    node,
    /** Shows the bans of a group; null while the panel is closed. */
    show(/** @type {Group | null} */ group, /** @type {import("../state.js").State} */ state) {
      const isOther = group?.id !== shown?.id;
      // Events may have been missed while the feed was interrupted.
      const isBack = state.connection === "live" && connection !== "live";
      const couldLift = mayLift;
      connection = state.connection;
      shown = group;
      mayLift = Boolean(group && state.snapshot && may(group, state.snapshot.user.id, "ban"));
      if (isOther) {
        newest += 1;
        bans = [];
        timeouts = [];
        trouble.textContent = "";
        draw();
      }
      if (group && (isOther || isBack || couldLift !== mayLift)) load(group.id);
    },
  };
}

/** @returns {import("../dom.js").Row} */
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
