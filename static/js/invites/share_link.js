/** The section for a group's share link: shows and copies it, and turns it on or off. */

import { may } from "../groups/permissions.js";
import { isReadOnly } from "../groups/standstill.js";
import { confirm } from "../ui/confirm.js";
import { h, setText } from "../ui/dom.js";
import { icon } from "../ui/icons.js";
import { t } from "../words/words.js";
import { linkFrom, openShare } from "./share_dialog.js";

/** @typedef {import("../sync/types.js").Group} Group */

export function createShareLink(/** @type {import("../app/app.js").App} */ app) {
  /** @type {Group | null} */
  let shown = null;
  const link = h("input", {
    class: "input",
    readonly: true,
    // URLs read from left to right in every language.
    dir: "ltr",
    "aria-label": t("Share link"),
    onfocus: () => link.select(),
  });
  const copyWord = h("span", {}, t("Copy"));
  const copy = h("button", { class: "button", type: "button", onclick: copyLink }, icon("link"), copyWord);
  const status = h("p", { class: "hidden", role: "status" });
  const words = h("p", { class: "quiet" });
  const turn = h("button", { class: "button", type: "button", onclick: ask });
  const open = h(
    "button",
    { class: "button", type: "button", onclick: () => shown && openShare(app, shown) },
    t("QR code"),
  );
  const row = h("div", { class: "share-row" }, copy, open, turn);
  const node = h(
    "section",
    { class: "panel-section" },
    h("h3", {}, t("Share link")),
    words,
    link,
    row,
    status,
  );

  async function copyLink() {
    link.select();
    setText(status, "");
    try {
      // Browsers offer the clipboard only to secure origins; a server on the home network without TLS is not
      // one.
      if (navigator.clipboard) await navigator.clipboard.writeText(link.value);
      else if (!document.execCommand("copy")) throw new Error("refused");
      setText(status, t("Link copied."));
      setText(copyWord, t("Copied"));
      setTimeout(() => setText(copyWord, t("Copy")), 2_000);
    } catch {
      setText(status, t("The link is selected: copy it with your keyboard."));
    }
  }

  /** Makes a link at once; asks before turning one off, since links that were passed on stop working. */
  function ask() {
    const group = shown;
    if (!group) return;
    if (!group.share_url) {
      change(group.id, true).catch((error) =>
        app.complain(t("The link was not created. {message}", { message: error.message })),
      );
      return;
    }
    confirm({
      title: t("Turn the link off?"),
      words: t(
        "Nobody can join with this link any more. Members stay in the group. A new link will be different.",
      ),
      act: t("Turn off"),
      onSure: () => change(group.id, false),
    });
  }

  const change = (/** @type {string} */ id, /** @type {boolean} */ share) => app.groups.change(id, { share });

  return {
    node,
    show(/** @type {Group} */ group, /** @type {string} */ me) {
      if (group.id !== shown?.id) setText(status, "");
      shown = group;
      const url = group.share_url ? linkFrom(group.share_url, me) : "";
      const mayTurn = may(group, me, "share");
      link.hidden = copy.hidden = open.hidden = url === "";
      if (link.value !== url) link.value = url;
      setText(words, url ? t("Anyone with this link can join.") : t("Nobody can join with a link."));
      setText(turn, url ? t("Turn off") : t("Create a share link"));
      turn.hidden = !mayTurn;
      node.hidden = (url === "" && !mayTurn) || isReadOnly(group);
    },
  };
}
