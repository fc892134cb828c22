/**
 * The section for the bans of the open group, for those who may lift them.
 *
 * Owns the list: it is loaded when the panel of the group is opened, and again when it may have changed.
 * Nothing is shown where nobody is banned.
 */

import { h, reconcile } from "../dom.js";
import { may } from "../permissions.js";
import { convOfGroup } from "../store.js";
import { exactTime } from "../time.js";
import { t } from "../words.js";
import { avatar } from "./avatar.js";

/** @typedef {import("../types.js").Group} Group */
/** @typedef {import("../group_calls.js").Ban} Ban */

export function createBans(/** @type {import("../app.js").App} */ app) {
  /** @type {Group | null} */
  let shown = null;
  /** @type {Ban[]} */
  let bans = [];
  let mayLift = false;
  /** The number of the newest load: answers to earlier ones come too late. */
  let newest = 0;
  let connection = app.state.get().connection;

  const rows = h("ul", { class: "group-bots" });
  const trouble = h("p", { class: "quiet", role: "alert" });
  const node = h(
    "section",
    { class: "panel-section", "aria-label": t("Banned"), hidden: true },
    h("h3", {}, t("Banned")),
    rows,
    trouble,
  );

  async function load(/** @type {string} */ groupId) {
    newest += 1;
    const own = newest;
    const found = mayLift ? await app.groups.bans(groupId).catch(() => null) : [];
    if (!found || own !== newest) return;
    bans = found;
    draw();
  }

  function draw() {
    node.hidden = bans.length === 0;
    reconcile(
      rows,
      bans.map((ban) => row(ban, () => lift(ban))),
    );
  }

  async function lift(/** @type {Ban} */ ban) {
    const group = shown;
    if (!group) return;
    trouble.textContent = "";
    try {
      await app.groups.unban(group.id, ban.user_id);
    } catch (error) {
      trouble.textContent = error instanceof Error ? error.message : "";
    }
    if (shown?.id === group.id) load(group.id);
  }

  app.onEvent((_, { conv, type }) => {
    if (shown && conv === convOfGroup(shown.id) && type.startsWith("ban.")) load(shown.id);
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
        trouble.textContent = "";
        draw();
      }
      if (group && (isOther || isBack || couldLift !== mayLift)) load(group.id);
    },
  };
}

/** @returns {import("../dom.js").Row} */
function row(/** @type {Ban} */ ban, /** @type {() => void} */ lift) {
  const { user_id: id, name, reason, until } = ban;
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
          h(
            "button",
            {
              class: "button",
              type: "button",
              "aria-label": t("Lift the ban of {name}", { name }),
              onclick: lift,
            },
            t("Lift the ban"),
          ),
        ),
      ),
    );
  return { key: id, sign: JSON.stringify(ban), build };
}
