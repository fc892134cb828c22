/**
 * The section for the bots of the open group: which there are, who made them, and removing one.
 *
 * Owns the list: it is loaded when the panel of the group is opened, and again when it may have changed.
 * Nothing is shown where there are no bots.
 */

import { h, reconcile } from "../dom.js";
import { may } from "../permissions.js";
import { convOfGroup } from "../store.js";
import { t } from "../words.js";
import { avatar } from "./avatar.js";
import { botChip } from "./bot_state.js";
import { confirm } from "./confirm.js";

/** @typedef {import("../types.js").Group} Group */
/** @typedef {import("../bot_calls.js").GroupBot} GroupBot */

/** One collator: many times as fast as `localeCompare` for each pair of names. */
const byName = new Intl.Collator().compare;

export function createGroupBots(/** @type {import("../app.js").App} */ app) {
  /** @type {Group | null} */
  let shown = null;
  let me = "";
  /** @type {GroupBot[]} */
  let bots = [];
  /** The number of the newest request: answers to earlier ones come too late. */
  let newest = 0;
  let connection = app.state.get().connection;

  const rows = h("ul", { class: "group-bots" });
  const node = h(
    "section",
    { class: "panel-section", "aria-label": t("Bots"), hidden: true },
    h("h3", {}, t("Bots")),
    h("p", { class: "quiet" }, t("A bot is a program. Active bots can read the messages here.")),
    rows,
  );

  async function load(/** @type {string} */ groupId) {
    newest += 1;
    const own = newest;
    const found = await app.groups.bots(groupId).catch(() => null);
    if (!found || own !== newest) return;
    bots = found.sort((a, b) => byName(a.name, b.name));
    draw();
  }

  function draw() {
    node.hidden = bots.length === 0;
    const mayRemove = shown !== null && may(shown, me, "remove_bots");
    reconcile(
      rows,
      bots.map((bot) => row(bot, me, mayRemove || bot.created_by.user_id === me ? askToRemove : null)),
    );
  }

  function askToRemove(/** @type {GroupBot} */ { name, sender_id: senderId }) {
    const group = shown;
    if (!group) return;
    confirm({
      title: t("Remove {name} from {name2}?", { name, name2: group.name }),
      words: t("{name} can no longer read messages or post here. Its messages stay.", { name }),
      act: t("Remove"),
      async onSure() {
        await app.groups.removeBot(group.id, senderId);
        if (shown?.id === group.id) load(group.id);
      },
    });
  }

  app.onEvent((_, { conv, type }) => {
    if (!shown || conv !== convOfGroup(shown.id)) return;
    // The creator of a bot may have left, or have another name.
    const mayChange = type.startsWith("bot.") || (bots.length > 0 && type.startsWith("membership."));
    if (mayChange) load(shown.id);
  });

  return {
    node,
    /** Shows the bots of a group; null while the panel is closed. */
    show(/** @type {Group | null} */ group, /** @type {import("../state.js").State} */ state) {
      const isOther = group?.id !== shown?.id;
      // Events may have been missed while the feed was interrupted.
      const isBack = state.connection === "live" && connection !== "live";
      const isSame = group === shown;
      connection = state.connection;
      shown = group;
      me = state.snapshot?.user.id ?? "";
      if (isOther) {
        newest += 1;
        bots = [];
      }
      if (!isSame) draw();
      if (group && (isOther || isBack)) load(group.id);
    },
  };
}

/** @returns {import("../dom.js").Row} */
function row(
  /** @type {GroupBot} */ bot,
  /** @type {string} */ me,
  /** @type {((bot: GroupBot) => void) | null} */ remove,
) {
  const { sender_id: id, name, avatar_url: imageUrl, listens: active } = bot;
  const label = t("Remove {name}", { name });
  const build = () =>
    h(
      "li",
      { class: "group-bot" },
      avatar({ id, name, imageUrl }),
      h(
        "div",
        { class: "bot-words" },
        h(
          "div",
          { class: "bot-top" },
          h("span", { class: "bot-name" }, h("bdi", { class: "ends" }, name)),
          botChip({ active }),
        ),
        h("span", { class: "bot-line" }, madeBy(bot, me)),
        remove &&
          h(
            "button",
            { class: "button-link", type: "button", "aria-label": label, onclick: () => remove(bot) },
            t("Remove…"),
          ),
      ),
    );
  return { key: id, sign: JSON.stringify([bot, me, remove !== null]), build };
}

function madeBy(/** @type {GroupBot} */ { created_by: maker }, /** @type {string} */ me) {
  if (maker.user_id === me) return t("Created by you");
  return maker.is_member
    ? t("Created by {name}", { name: maker.name })
    : t("Created by {name}, who left the group", { name: maker.name });
}
