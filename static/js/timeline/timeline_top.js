/**
 * The element above the oldest message in the page: the beginning of the conversation, or that older messages
 * are loading, or that they failed to load.
 */

import { openAddMember, openShare } from "../app/windows.js";
import { nameOf } from "../conversation/naming.js";
import { may } from "../groups/permissions.js";
import { isReadOnly } from "../groups/standstill.js";
import { fillWith, h } from "../ui/dom.js";
import { icon } from "../ui/icons.js";
import { t } from "../words/words.js";

/** @typedef {import("../sync/types.js").Conversation} Conversation */

/**
 * @param {import("../app/app.js").App} app
 * @param {() => void} again tries again to load older messages
 */
export function createTimelineTop(app, again) {
  const node = h("div", { class: "timeline-top" });
  let shown = "";

  function words(/** @type {Conversation} */ conversation, /** @type {boolean} */ isSilent) {
    const { group } = conversation;
    const open = () => group && openAddMember(app, group);
    return [
      h("p", { class: "beginning", dir: "auto" }, nameOf(conversation)),
      beginning(conversation, isSilent && !isReadOnly(group)),
      isSilent &&
        group &&
        may(group, me(), "add_members") &&
        h("button", { class: "button", type: "button", onclick: open }, icon("addPerson"), t("Add someone")),
      isSilent &&
        group &&
        !isReadOnly(group) &&
        (group.share_url || may(group, me(), "share")) &&
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
      t("Older messages could not be loaded. Try again"),
    );

  return {
    node,

    /**
     * Updates the element. Returns whether the conversation has no messages yet, so that it is all there is.
     * @param {Conversation} conversation
     * @param {{ isWhole: boolean, from: number, olderFailed: boolean }} how `isWhole`: the very first message
     *   is in the page; `from`: the index of the first message in the page
     */
    show(conversation, { isWhole, from, olderFailed }) {
      const { conv, group, messages, outbox, complete, copied } = conversation;
      const isSilent = isWhole && messages.length === 0 && outbox.length === 0;
      const sign = [
        conv,
        nameOf(conversation),
        isWhole,
        isSilent,
        isReadOnly(group),
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

const AWAY = t("Older messages appear when you are connected.");

function beginning(/** @type {Conversation} */ { other }, /** @type {boolean} */ silent) {
  if (!silent) return h("p", { class: "quiet" }, t("This is the beginning of the conversation."));
  const words = other
    ? t("Send the first message. Only you and {name} can read it.", { name: other.name })
    : t("Send the first message, or add people to the group.");
  return h("p", { class: "quiet" }, words);
}
