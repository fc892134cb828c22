/**
 * The window with a group's share link: to copy it, share it, or scan it with a phone.
 *
 * The link names who passed it on, so that the person invited sees by whom.
 */

import { reasonOf } from "../text/reason.js";
import { copyable } from "../ui/copy.js";
import { openDialog } from "../ui/dialog.js";
import { fillWith, h } from "../ui/dom.js";
import { t } from "../words/words.js";
import { drawn } from "./qr_code.js";

/** Returns the share link with the id of the user who passes it on. */
export const linkFrom = (/** @type {string} */ url, /** @type {string} */ me) => `${url}?from=${me}`;

/** Opens the window. A group without a share link gets one. */
export function openShare(
  /** @type {import("../app/app.js").App} */ app,
  /** @type {import("../sync/types.js").Group} */ group,
) {
  const me = app.state.get().snapshot?.user.id ?? "";
  const place = h("div", { class: "dialog-form" }, h("p", { class: "quiet" }, t("Loading…")));

  async function show() {
    try {
      const { share_url: url } = group.share_url ? group : await app.groups.change(group.id, { share: true });
      const link = linkFrom(url ?? "", me);
      fillWith(
        place,
        h("p", { class: "quiet" }, t("Anyone with this link can join.")),
        copyable({ label: t("link"), text: link }),
        passOn(link, group.name),
        drawn(link, t("QR code of the link")),
      );
    } catch (error) {
      const why = reasonOf(error);
      fillWith(
        place,
        h("p", { class: "alert", role: "alert" }, t("The link was not created. {message}", { message: why })),
      );
    }
  }

  openDialog({ title: t("Invite to {name}", { name: group.name }), content: () => [place] });
  show();
}

/** Makes the button for the device's share menu; null if the device has none. */
function passOn(/** @type {string} */ url, /** @type {string} */ title) {
  if (!navigator.share) return null;
  const onclick = () => navigator.share({ url, title }).catch(() => {});
  return h("button", { class: "button", type: "button", onclick }, t("Share…"));
}
