/**
 * The bots of one group, as a page of its own.
 *
 * The list is the same view as on the account page, filtered by group.
 */

import { CLOSES } from "../app/page_history.js";
import { panelHref } from "../app/route.js";
import { h, setText } from "../ui/dom.js";
import { icon } from "../ui/icons.js";
import { t } from "../words/words.js";
import { createBotList, groupName } from "./bot_list_view.js";

export function createBotsOfGroup(/** @type {import("../app/app.js").App} */ app) {
  const list = createBotList(app);
  const title = h("h2", { class: "head-title", tabindex: "-1" });
  const back = h(
    "a",
    { class: "button-icon", "aria-label": t("Back to the group"), ...CLOSES },
    icon("back"),
  );
  const node = h(
    "section",
    { class: "bots-place", "aria-label": t("Bots") },
    h("header", { class: "head" }, back, h("div", { class: "head-words" }, title)),
    h("div", { class: "bots-body" }, h("div", { class: "bots-page" }, list.node)),
  );
  let shown = "";

  return {
    node,
    show(/** @type {import("../sync/state.js").State} */ state) {
      const { route, snapshot } = state;
      const groupId = route.name === "bots" && snapshot ? route.groupId : "";
      node.hidden = groupId === "";
      if (groupId !== "" && snapshot) {
        const name = groupName(snapshot, groupId);
        setText(title, t("Bots of {name}", { name }));
        back.setAttribute("href", panelHref(`g:${groupId}`));
        back.setAttribute("aria-label", t("Back to {name}", { name }));
        list.show(state, groupId);
        if (groupId !== shown) list.load();
      }
      shown = groupId;
    },
    focus: () => title.focus(),
  };
}

/** Makes the link from the panel of a group to the bots that the user made in it. */
export function botsLink() {
  return h("a", { class: "button button-wide" }, icon("bot"), t("Your bots in this group"));
}
