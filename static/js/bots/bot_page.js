/**
 * The page of one bot, with the tabs Overview, Deliveries and Settings, and the page of one delivery.
 *
 * Owns which of these is open, where the focus goes, and loading the bots for a user who arrives by a
 * bookmark. Each part is a view of its own, made again for each bot.
 */

import { CLOSES } from "../app/page_history.js";
import { createLogView } from "../deliveries/delivery_log_view.js";
import { createDeliveryPage } from "../deliveries/delivery_page.js";
import { avatar } from "../people/avatar.js";
import { reasonOf } from "../text/reason.js";
import { fillWith, h, setText } from "../ui/dom.js";
import { icon } from "../ui/icons.js";
import { markTab } from "../ui/tabs.js";
import { t } from "../words/words.js";
import { findBot } from "./bot_list.js";
import { groupName } from "./bot_list_view.js";
import { createBotOverview } from "./bot_overview.js";
import { createBotSettings } from "./bot_settings.js";
import { botsOf } from "./bots.js";
import { botHref, botsHref, botsOfGroupHref } from "./bots_route.js";

/** @typedef {import("./bot_list.js").Bot} Bot */
/** @typedef {import("../sync/state.js").State} State */
/** @typedef {import("../app/route.js").Route} Route */
/** @typedef {Extract<Route, { name: "bot" }>} BotRoute */

/** @type {Record<import("./bots_route.js").BotTab, string>} */
const TABS = { overview: t("Overview"), deliveries: t("Deliveries"), settings: t("Settings") };

/** Types of events after which the bot's deliveries may have changed. */
const HEARD = /^(line\.create|bot\.update)$/;

/**
 * @typedef {object} Part what a part of the page (a tab or a delivery) can do
 * @property {HTMLElement} node
 * @property {(bot: Bot) => void} show
 * @property {(delivery: string) => void} [open]
 * @property {() => void} [close]
 * @property {() => void} [hear] called when something happened in the bot's group
 */

export function createBotPage(/** @type {import("../app/app.js").App} */ app) {
  const back = h(
    "a",
    { class: "button-icon", "aria-label": t("Back to your bots"), ...CLOSES },
    icon("back"),
  );
  const picture = h("span", { class: "head-avatar" });
  const title = h("h2", { class: "head-title", tabindex: "-1" });
  const subtitle = h("p", { class: "head-subtitle" });
  const tabs = Object.entries(TABS).map(([tab, label]) => ({ tab, link: h("a", { class: "tab" }, label) }));
  const nav = h("nav", { class: "tabs", "aria-label": t("Bot") }, ...tabs.map(({ link }) => link));
  const body = h("div", { class: "bots-body" });
  const trouble = h("p", { class: "alert", role: "alert" });
  const node = h(
    "section",
    { class: "bots-place", "aria-label": t("Bot") },
    h("header", { class: "head" }, back, picture, h("div", { class: "head-words" }, title, subtitle), nav),
    trouble,
    body,
  );

  /** @type {BotRoute | null} */
  let route = null;
  let shownId = "";
  /** @type {ReturnType<typeof createParts> | null} */
  let parts = null;
  /** @type {Part | null} */
  let open = null;
  let isLoading = false;
  let cameFrom = botsHref;
  /** The scroll position of the delivery log when it was left, for the way back from a delivery. */
  let logAt = 0;

  botsOf(app).onEvent(({ conv, type }) => {
    const bot = app.state.get().bots?.find((known) => known.bot_id === shownId);
    if (bot && conv === `g:${bot.group_id}` && HEARD.test(type)) open?.hear?.();
  });

  const createParts = (/** @type {Bot} */ bot) => ({
    overview: createBotOverview(app, bot.bot_id, () => title.focus()),
    deliveries: createLogView(app, bot),
    delivery: createDeliveryPage(app, bot),
    settings: createBotSettings(app, bot.bot_id),
  });

  function show(/** @type {State} */ state) {
    const { bots, snapshot } = state;
    if (state.route.name === "bots") cameFrom = botsOfGroupHref(state.route.groupId);
    if (state.route.name === "account") cameFrom = botsHref;
    const wanted = state.route.name === "bot" && snapshot ? state.route : null;
    node.hidden = !wanted;
    if (!wanted || !snapshot) {
      leave();
      return;
    }
    back.setAttribute("href", cameFrom);
    if (!bots) load();
    const bot = findBot(bots, wanted.handle);
    for (const part of [picture, nav]) part.hidden = !bot;
    if (bot) {
      head(bot, groupName(snapshot, bot.group_id));
      turnTo(bot, wanted);
    } else {
      leave();
      setText(title, bots ? t("Bot not found") : t("Bot"));
      setText(subtitle, bots ? t("It may have been deleted, or is not yours.") : "");
    }
  }

  function leave() {
    open?.close?.();
    open = parts = route = null;
    shownId = "";
    fillWith(body);
  }

  async function load() {
    if (isLoading) return;
    isLoading = true;
    setText(trouble, "");
    try {
      await botsOf(app).load();
    } catch (error) {
      setText(trouble, reasonOf(error));
    } finally {
      isLoading = false;
    }
  }

  function head(/** @type {Bot} */ bot, /** @type {string} */ group) {
    const { bot_id: id, name, avatar_url: imageUrl, active } = bot;
    setText(title, name);
    setText(subtitle, active ? t("In {group}", { group }) : t("In {group}, inactive", { group }));
    const sign = JSON.stringify([id, name, imageUrl]);
    if (picture.dataset.sign === sign) return;
    picture.dataset.sign = sign;
    picture.replaceChildren(avatar({ id, name, imageUrl, size: "small" }));
  }

  function turnTo(/** @type {Bot} */ bot, /** @type {BotRoute} */ wanted) {
    if (bot.bot_id !== shownId) {
      leave();
      shownId = bot.bot_id;
      parts = createParts(bot);
    }
    if (!parts) return;
    const next = wanted.delivery ? parts.delivery : parts[wanted.tab];
    if (wanted !== route) {
      open?.close?.();
      if (open === parts.deliveries) logAt = body.scrollTop;
      const isBack = route?.delivery && next === parts.deliveries;
      route = wanted;
      for (const { tab, link } of tabs) markTab(link, tab === wanted.tab);
      for (const { tab, link } of tabs)
        link.setAttribute("href", botHref(wanted.handle, /** @type {any} */ (tab)));
      open = next;
      fillWith(body, next.node);
      open.open?.(wanted.delivery ?? "");
      body.scrollTop = isBack ? logAt : 0;
    }
    next.show(bot);
  }

  return {
    node,
    show,
    /**
     * Sets the focus after a change of route. Between tabs it stays on the tab; otherwise it goes to the
     * delivery, to the log's row of the delivery that was left, or to the title.
     */
    focus(/** @type {Route} */ before) {
      if (!route) return title.focus();
      const isSame = before.name === "bot" && before.handle === route.handle;
      if (route.delivery) return parts?.delivery.focus();
      if (isSame && before.delivery && parts?.deliveries.focus(before.delivery)) return;
      if (!isSame || before.delivery) title.focus();
    },
    title: () => title.textContent ?? "",
  };
}
