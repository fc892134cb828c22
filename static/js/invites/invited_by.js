/** The invitation to a group: its picture, name, number of members and description, and who invites, if somebody does. */

import { avatar } from "../people/avatar.js";
import { h } from "../ui/dom.js";
import { t } from "../words/words.js";

/** @typedef {import("../groups/group_calls.js").Invited} Invited */

/** The words for a share link that the server does not know. */
export const DEAD_LINK = t("This link no longer works. Ask for a new one.");

/** Words for an operators' invitation that makes no account, by the status of the response. */
export const deadInvitation = (/** @type {number} */ status) =>
  status === 410
    ? t("This invitation was used up or has ended. Ask for a new one.")
    : t("This invitation does not exist. Check the address, or ask for a new one.");

export const invitedBy = (/** @type {Invited} */ invited) =>
  h("div", { class: "invited" }, ...parts(invited));

function parts(/** @type {Invited} */ { group, invited_by: by }) {
  const { id, name, image_url: imageUrl, members_count: count, description } = group;
  const members = count === 1 ? t("1 member") : t("{count} members", { count });
  return [
    avatar({ id, name, imageUrl, shape: "group", size: "large" }),
    h(
      "div",
      { class: "invited-words" },
      h("p", { class: "invited-name", dir: "auto" }, name),
      by && h("p", {}, t("{name} invites you.", { name: by.nickname })),
      h("p", { class: "quiet" }, members),
      description && h("p", { class: "quiet", dir: "auto" }, description),
    ),
  ];
}
