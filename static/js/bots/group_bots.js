/**
 * The section for the bots of the open group: which there are, who made them, and removing one.
 *
 * Nothing is shown where there are no bots.
 */

import { createGroupLists } from "../groups/group_lists.js";
import { may } from "../groups/permissions.js";
import { isReadOnly } from "../groups/standstill.js";
import { avatar } from "../people/avatar.js";
import { confirm } from "../ui/confirm.js";
import { h, reconcile } from "../ui/dom.js";
import { t } from "../words/words.js";
import { botChip } from "./bot_state.js";

/** @typedef {import("../sync/types.js").Group} Group */
/** @typedef {import("./bot_calls.js").GroupBot} GroupBot */

/** One collator: many times as fast as `localeCompare` for each pair of names. */
const byName = new Intl.Collator().compare;

export function createGroupBots(/** @type {import("../app/app.js").App} */ app) {
  const rows = h("ul", { class: "group-bots" });
  const lists = createGroupLists({
    app,
    nothing: /** @type {GroupBot[]} */ ([]),
    load: async ({ id }) => (await app.groups.bots(id)).sort((a, b) => byName(a.name, b.name)),
    // The creator of a bot may have left, or have another name.
    mayChange: (type, bots) => type.startsWith("bot.") || (bots.length > 0 && type.startsWith("membership.")),
    draw,
  });
  const node = h(
    "section",
    { class: "panel-section", "aria-label": t("Bots"), hidden: true },
    h("h3", {}, t("Bots")),
    h("p", { class: "quiet" }, t("A bot is a program. Active bots can read the messages here.")),
    rows,
  );

  function draw(/** @type {GroupBot[]} */ bots, /** @type {Group | null} */ group, /** @type {string} */ me) {
    node.hidden = bots.length === 0;
    const mayRemove = group !== null && may(group, me, "remove_bots");
    const isMine = (/** @type {GroupBot} */ { created_by: maker }) =>
      maker.user_id === me && !isReadOnly(group);
    reconcile(
      rows,
      bots.map((bot) => row(bot, me, mayRemove || isMine(bot) ? askToRemove : null)),
    );
  }

  function askToRemove(/** @type {GroupBot} */ { name, sender_id: senderId }) {
    const group = lists.group();
    if (!group) return;
    confirm({
      title: t("Remove {name} from {name2}?", { name, name2: group.name }),
      words: t("{name} can no longer read messages or post here. Its messages stay.", { name }),
      act: t("Remove"),
      async onSure() {
        await app.groups.removeBot(group.id, senderId);
        lists.reload(group);
      },
    });
  }

  return { node, show: lists.show };
}

/** @returns {import("../ui/dom.js").Row} */
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
