/**
 * What stands above the oldest line that is shown: the beginning of the conversation, or
 * that older messages are on their way, or that they did not come.
 */

import { fillWith, h } from "../dom.js";
import { maySettle } from "../groups.js";
import { icon } from "../icons.js";
import { nameOf } from "../naming.js";
import { t } from "../words.js";
import { openAddMember, openShare } from "./windows.js";

/** @typedef {import("../types.js").Conversation} Conversation */

/**
 * @param {import("../app.js").App} app
 * @param {() => void} again loads older messages once more
 */
export function createTimelineTop(app, again) {
  const node = h("div", { class: "timeline-top" });
  let shown = "";

  function words(/** @type {Conversation} */ conversation, /** @type {boolean} */ isSilent) {
    const { group } = conversation;
    const open = () => group && openAddMember(app, group);
    return [
      h("p", { class: "beginning", dir: "auto" }, nameOf(conversation)),
      beginning(conversation, isSilent),
      isSilent &&
        group &&
        h("button", { class: "button", type: "button", onclick: open }, icon("addPerson"), t("Add someone")),
      isSilent &&
        group &&
        (group.share_url || maySettle(group, me())) &&
        shareButton(() => openShare(app, group)),
    ];
  }

  const me = () => app.state.get().snapshot?.user.id ?? "";
  const shareButton = (/** @type {() => void} */ onclick) =>
    h("button", { class: "button", type: "button", onclick }, icon("link"), t("Invite by a link"));

  const retry = () =>
    h(
      "button",
      { class: "button-link", type: "button", onclick: again },
      t("Older messages did not load. Try again"),
    );

  return {
    node,

    /**
     * Whether nothing was said yet, so that this is all there is.
     * @param {Conversation} conversation
     * @param {{ isWhole: boolean, from: number, olderFailed: boolean }} how the first line of all is
     *   shown; the place of the first one that is
     */
    show(conversation, { isWhole, from, olderFailed }) {
      const { conv, messages, outbox, complete, copied } = conversation;
      const isSilent = isWhole && messages.length === 0 && outbox.length === 0;
      const sign = [
        conv,
        nameOf(conversation),
        isWhole,
        isSilent,
        olderFailed,
        from > 0,
        complete,
        copied,
      ].join();
      if (sign === shown) return isSilent;
      shown = sign;
      if (isWhole) fillWith(node, ...words(conversation, isSilent));
      else if (copied && from === 0) fillWith(node, h("p", { class: "quiet" }, AWAY));
      else if (olderFailed) fillWith(node, retry());
      else fillWith(node, from === 0 && h("p", { class: "quiet" }, t("Loading older messages…")));
      return isSilent;
    },
  };
}

const AWAY = t("Older messages show once you are connected.");

function beginning(/** @type {Conversation} */ { other }, /** @type {boolean} */ silent) {
  if (!silent) return h("p", { class: "quiet" }, t("This is where it all began."));
  const words = other
    ? t("Say the first word. Only you and {name} read what is written here.", { name: other.name })
    : t("Say the first word, or add someone to say it to.");
  return h("p", { class: "quiet" }, words);
}
