/** The window with the groups that the user has left and can rejoin. */

import { groupHref } from "../app/route.js";
import { avatar } from "../people/avatar.js";
import { reasonOf } from "../text/reason.js";
import { openDialog } from "../ui/dialog.js";
import { h, reconcile, setText } from "../ui/dom.js";
import { pages } from "../ui/window.js";
import { t } from "../words/words.js";

/** @typedef {import("../sync/types.js").Group} Group */

export function openFormerGroups(/** @type {import("../app/app.js").App} */ app) {
  const list = h("ul", { class: "people" });
  const status = h("p", { class: "quiet", role: "status" }, t("Loading…"));
  const alert = h("p", { class: "alert", role: "alert" });

  openDialog({
    title: t("Groups you left"),
    content(close) {
      async function rejoin(/** @type {Group} */ { id }) {
        setText(alert, "");
        try {
          await app.groups.rejoin(id);
          close();
          pages.goTo(groupHref(id));
        } catch (error) {
          setText(alert, reasonOf(error));
        }
      }
      load(rejoin);
      return [h("div", { class: "dialog-form" }, status, alert, list)];
    },
  });

  async function load(/** @type {(group: Group) => void} */ rejoin) {
    try {
      const groups = await app.groups.former();
      setText(
        status,
        groups.length > 0
          ? t("You can come back whenever you like.")
          : t("None. Groups that you leave appear here, so that you can rejoin them."),
      );
      reconcile(
        list,
        groups.map((group) => ({ key: group.id, sign: "", build: () => row(group, () => rejoin(group)) })),
      );
    } catch (error) {
      setText(status, "");
      setText(alert, reasonOf(error));
    }
  }
}

function row(/** @type {Group} */ { id, name, image_url: imageUrl }, /** @type {() => void} */ onclick) {
  return h(
    "li",
    { class: "people-row" },
    avatar({ id, name, imageUrl, shape: "group" }),
    h("span", { class: "people-name" }, name),
    h(
      "button",
      { class: "button", type: "button", "aria-label": t("Rejoin {name}", { name }), onclick },
      t("Rejoin"),
    ),
  );
}
