/**
 * The window with the most liked messages of a group today, this week or this month; those that the user
 * likes; and the user's own that others like.
 */

import { messageHref } from "../app/route.js";
import { oneLine } from "../text/one_line.js";
import { reasonOf } from "../text/reason.js";
import { isoTime, shortTime } from "../text/time.js";
import { openDialog } from "../ui/dialog.js";
import { fillWith, h, setText } from "../ui/dom.js";
import { icon } from "../ui/icons.js";
import { t } from "../words/words.js";

/** @typedef {import("../groups/group_calls.js").LikesList} LikesList */

/** @type {{ list: LikesList, label: string }[]} */
const LISTS = [
  { list: "day", label: t("Today") },
  { list: "week", label: t("This week") },
  { list: "month", label: t("This month") },
  { list: "mine", label: t("Liked by me") },
  { list: "for_me", label: t("Mine") },
];

export function openMostLiked(
  /** @type {import("../app/app.js").App} */ app,
  /** @type {import("../sync/types.js").Group} */ group,
) {
  /** @type {LikesList} */
  let shown = "week";
  const status = h("p", { class: "quiet", role: "status" });
  const list = h("ol", { class: "pinned" });
  const choices = LISTS.map(({ list: value, label }) => {
    const onchange = () => {
      shown = value;
      look();
    };
    const input = h("input", { type: "radio", name: "liked", value, checked: value === shown, onchange });
    return h("label", { class: "segment" }, input, h("span", {}, label));
  });
  const legend = h("legend", { class: "hidden" }, t("Filter messages"));
  const fields = h(
    "fieldset",
    { class: "segments" },
    legend,
    h("div", { class: "segments-row" }, ...choices),
  );
  const dialog = openDialog({
    title: t("Most liked"),
    content: () => [h("div", { class: "dialog-form" }, fields, status, list)],
  });
  dialog.classList.add("dialog-wide");

  async function look() {
    const asked = shown;
    setText(status, t("Searching messages…"));
    fillWith(list);
    try {
      const found = await app.groups.liked(group.id, asked);
      if (asked !== shown) return;
      setText(status, found.length === 0 ? t("No likes yet.") : "");
      fillWith(list, ...found.map((message) => item(group.id, message, () => dialog.close())));
    } catch (error) {
      if (asked === shown) setText(status, reasonOf(error));
    }
  }

  look();
}

function item(
  /** @type {string} */ groupId,
  /** @type {import("../sync/types.js").Message} */ message,
  /** @type {() => void} */ close,
) {
  const { id, name, created_at: at, favorited_by: likers } = message;
  const count = likers.length;
  const likes = count === 1 ? t("1 like") : t("{count} likes", { count });
  return h(
    "li",
    {},
    h(
      "a",
      { class: "pinned-message", href: messageHref(`g:${groupId}`, id), onclick: close },
      h("span", { class: "pinned-name", dir: "auto" }, name),
      h("span", { class: "liked-count" }, icon("heart"), h("span", {}, likes)),
      h("span", { class: "pinned-text", dir: "auto" }, oneLine(message)),
      h("time", { class: "quiet", datetime: isoTime(at) }, shortTime(at, Date.now() / 1000)),
    ),
  );
}
