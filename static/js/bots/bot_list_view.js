/**
 * The list of the user's bots: all of them, or those of one group.
 *
 * Owns the rows and the button for a new bot. Asks the server once for each inactive bot why it is inactive.
 */

import { isReadOnly } from "../groups/standstill.js";
import { avatar } from "../people/avatar.js";
import { convOfGroup, listed } from "../sync/store.js";
import { reasonOf } from "../text/reason.js";
import { h, reconcile, setText } from "../ui/dom.js";
import { icon } from "../ui/icons.js";
import { t } from "../words/words.js";
import { handleOf, sorted } from "./bot_list.js";
import { openNewBot } from "./bot_new.js";
import { botChip, botSentence, offSentence } from "./bot_state.js";
import { botsOf } from "./bots.js";
import { botHref } from "./bots_route.js";

/** @typedef {import("./bot_list.js").Bot} Bot */
/** @typedef {import("../sync/state.js").State} State */

/** Returns the group's name, or other words if the user has left the group of their bot. */
export const groupName = (
  /** @type {import("../sync/types.js").Snapshot} */ snapshot,
  /** @type {string} */ id,
) => snapshot.conversations[convOfGroup(id)]?.group?.name || t("A group you left");

export function createBotList(/** @type {import("../app/app.js").App} */ app) {
  /** Why bots are inactive, by bot id; "" while the request is under way. @type {Map<string, string>} */
  const reasons = new Map();
  /** @type {string | null} */
  let groupId = null;

  const intro = h("p", { class: "quiet" });
  const trouble = h("p", { class: "alert", role: "alert" });
  const rows = h("ul", { class: "bots" });
  const nothing = h("p", { class: "bots-none" });
  const make = h(
    "button",
    { class: "button button-primary", type: "button", onclick: create },
    icon("plus"),
    t("New bot"),
  );
  const node = h(
    "section",
    { "aria-label": t("Your bots") },
    h("div", { class: "bots-top" }, h("h3", {}, t("Your bots")), make),
    intro,
    trouble,
    nothing,
    rows,
  );
  intro.append(
    t(
      "A bot is a program that receives the messages of a group and can post there. Only you can change your bots. ",
    ),
    h("a", { href: "/docs/bots" }, t("How to write a bot")),
  );

  async function load() {
    setText(trouble, "");
    try {
      await botsOf(app).load();
    } catch (error) {
      setText(trouble, reasonOf(error));
    }
  }

  function create() {
    const { snapshot } = app.state.get();
    const groups = (snapshot ? listed(snapshot) : []).flatMap(({ group }) =>
      group && !isReadOnly(group) ? [{ value: group.id, label: group.name }] : [],
    );
    groups.sort((a, b) => a.label.localeCompare(b.label));
    openNewBot(botsOf(app), { groups, groupId });
  }

  function show(/** @type {State} */ { bots, snapshot }, /** @type {string | null} */ of) {
    groupId = of;
    if (!snapshot) return;
    const called = (/** @type {string} */ id) => groupName(snapshot, id);
    const mine = (bots ?? []).filter((bot) => of === null || bot.group_id === of);
    const hasGroups = listed(snapshot).length > 0;
    const group = of === null ? null : snapshot.conversations[convOfGroup(of)]?.group;
    make.hidden = !hasGroups || isReadOnly(group);
    nothing.hidden = bots === null || mine.length > 0;
    setText(nothing, noneWords(of, hasGroups));
    for (const bot of mine) learnWhy(bot);
    reconcile(
      rows,
      sorted(mine, called).map((bot) => row({ bot, group: called(bot.group_id), why: whyOf(bot) })),
    );
  }

  const whyOf = (/** @type {Bot} */ bot) => (bot.active ? "" : (reasons.get(bot.bot_id) ?? ""));

  async function learnWhy(/** @type {Bot} */ { bot_id: id, active }) {
    if (active) reasons.delete(id);
    if (active || reasons.has(id)) return;
    reasons.set(id, "");
    const gone = await botsOf(app)
      .goneAt(id)
      .catch(() => undefined);
    if (gone === undefined) return;
    reasons.set(id, offSentence(gone));
    if (node.isConnected) show(app.state.get(), groupId);
  }

  return { node, show, load };
}

function noneWords(/** @type {string | null} */ groupId, /** @type {boolean} */ hasGroups) {
  if (!hasGroups) return t("A bot belongs to a group. Create a group first.");
  return groupId === null ? t("You have no bots yet.") : t("You have no bots in this group yet.");
}

/** @returns {import("../ui/dom.js").Row} */
function row(/** @type {{ bot: Bot, group: string, why: string }} */ facts) {
  const { bot, group, why } = facts;
  const { bot_id: id, name, avatar_url: imageUrl } = bot;
  const build = () =>
    h(
      "li",
      {},
      h(
        "a",
        { class: "bot", href: botHref(handleOf(id)) },
        avatar({ id, name, imageUrl }),
        h(
          "span",
          { class: "bot-words" },
          h("span", { class: "bot-top" }, h("span", { class: "bot-name" }, name), botChip(bot)),
          h("span", { class: "bot-line" }, t("In {group}", { group })),
          h("span", { class: "bot-line" }, why || bot.callback_url || botSentence(bot)),
        ),
      ),
    );
  return { key: id, sign: JSON.stringify(facts), build };
}
