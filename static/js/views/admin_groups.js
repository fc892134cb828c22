/** The groups of the server, for operators: without what is written there. */

import { h } from "../dom.js";
import { fullTime, isoTime } from "../time.js";
import { t } from "../words.js";
import { createAdminList } from "./admin_list.js";
import { avatar } from "./avatar.js";

/** @typedef {import("../admin_calls.js").AdminGroup} AdminGroup */

export const createAdminGroups = (/** @type {import("../admin_calls.js").AdminCalls} */ calls) =>
  createAdminList({
    label: t("Groups"),
    search: t("Search by name or id"),
    none: t("No groups found."),
    load: async (q, before) => {
      const { groups, before: next } = await calls.groups(q, before);
      return { entries: groups, before: next };
    },
    row,
  });

function row(/** @type {AdminGroup} */ group) {
  const build = () =>
    h(
      "li",
      { class: "key" },
      avatar({ id: group.id, name: group.name, imageUrl: group.image_url, size: "small" }),
      h(
        "div",
        { class: "key-words" },
        h("p", { class: "key-name" }, group.name),
        h(
          "p",
          { class: "quiet" },
          [
            t("Owner: {name}", { name: group.owner.name ?? group.owner.user_id }),
            t("Members: {count}", { count: group.members }),
            t("Messages: {count}", { count: group.messages }),
            t("Bots: {count}", { count: group.bots }),
          ].join(" · "),
        ),
        h(
          "p",
          { class: "quiet" },
          h("time", { datetime: isoTime(group.created_at) }, fullTime(group.created_at)),
        ),
      ),
    );
  return { key: group.id, sign: JSON.stringify(group), build };
}
