/**
 * What somebody is invited to, and by whom: the group's picture and name, how many are in it,
 * what it is about.
 */

import { fillWith, h } from "../dom.js";
import { t } from "../words.js";
import { avatar } from "./avatar.js";

/** @typedef {import("../group_calls.js").Invited} Invited */

/** A place that fills once the server has told; it stays empty where a link opens nothing. */
export function invitedBy(/** @type {import("../app.js").App} */ app) {
  const node = h("div", { class: "invited", hidden: true });
  app.invited().then(
    (invited) => {
      if (!invited) return;
      fillWith(node, ...parts(invited));
      node.hidden = false;
    },
    () => {
      // Joining says what is wrong.
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
