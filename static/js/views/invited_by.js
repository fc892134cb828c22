/** The invitation to a group: its picture, name, number of members and description, and who invites. */

import { fillWith, h } from "../dom.js";
import { t } from "../words.js";
import { avatar } from "./avatar.js";

/** @typedef {import("../group_calls.js").Invited} Invited */

/** Returns an element that is filled when the server answers; it stays hidden for an invalid link. */
export function invitedBy(/** @type {import("../app.js").App} */ app) {
  const node = h("div", { class: "invited", hidden: true });
  app.invited().then(
    (invited) => {
      if (!invited) return;
      fillWith(node, ...parts(invited));
      node.hidden = false;
    },
    () => {
      // Joining will report the problem.
    },
  );
  return node;
}

function parts(/** @type {Invited} */ { group, invited_by: by }) {
  const { id, name, image_url: imageUrl, members_count: count, description } = group;
  const facts = { name: by.nickname };
  const members = count === 1 ? t("1 member") : t("{count} members", { count });
  return [
    avatar({ id, name, imageUrl, shape: "group", size: "large" }),
    h(
      "div",
      { class: "invited-words" },
      h("p", { class: "invited-name", dir: "auto" }, name),
      h("p", {}, t("{name} invites you.", facts)),
      h("p", { class: "quiet" }, members),
      description && h("p", { class: "quiet", dir: "auto" }, description),
    ),
  ];
}
