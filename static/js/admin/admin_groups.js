/** The groups of the server, for operators: a searchable list, and one group with what may be done; not what is written. */

import { avatar } from "../people/avatar.js";
import { reasonOf } from "../text/reason.js";
import { fullTime, isoTime } from "../text/time.js";
import { fillWith, h, setText } from "../ui/dom.js";
import { pages } from "../ui/window.js";
import { t } from "../words/words.js";
import { adminAct } from "./admin_act.js";
import { createAdminList } from "./admin_list.js";
import { adminGroupHref, adminPartHref, adminPersonHref } from "./admin_route.js";

/** @typedef {import("./admin_calls.js").AdminCalls} AdminCalls */
/** @typedef {import("./admin_calls.js").AdminGroup} AdminGroup */
/** @typedef {import("./admin_calls.js").OperatorRole} OperatorRole */

export const createAdminGroups = (/** @type {AdminCalls} */ calls) =>
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
  const states = statesOf(group);
  const build = () =>
    h(
      "li",
      { class: "key" },
      avatar({ id: group.id, name: group.name, imageUrl: group.image_url, size: "small" }),
      h(
        "div",
        { class: "key-words" },
        h("p", { class: "key-name" }, h("a", { href: adminGroupHref(group.id) }, group.name)),
        states.length > 0 && h("p", { dir: "auto" }, states.join(" · ")),
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

const isListed = (/** @type {AdminGroup} */ { visibility }) => visibility === "searchable";

const statesOf = (/** @type {AdminGroup} */ group) => [
  ...(group.frozen ? [t("Frozen: {reason}", { reason: group.frozen.reason })] : []),
  ...(group.archived_at === null ? [] : [t("In the archive")]),
  ...(isListed(group) ? [t("In the directory")] : []),
];

/** One group. */
export function createAdminGroup(/** @type {AdminCalls} */ calls) {
  const trouble = h("p", { class: "alert", role: "alert" });
  const outcome = h("p", { class: "outcome", role: "status" });
  const name = h("h3", { tabindex: "-1", dir: "auto" });
  const facts = h("dl", { class: "facts" });
  const acts = h("div", { class: "admin-acts" });
  const back = h("a", { href: adminPartHref("groups") }, t("All groups"));
  const node = h("section", { "aria-label": t("Group") }, back, trouble, name, facts, acts, outcome);
  /** @type {OperatorRole | null} */
  let mine = null;
  let shownId = "";

  async function open(/** @type {string} */ id, /** @type {OperatorRole | null} */ role) {
    mine = role;
    shownId = id;
    for (const place of [trouble, outcome, name]) setText(place, "");
    for (const place of [facts, acts]) fillWith(place);
    try {
      show(await calls.group(id));
      name.focus();
    } catch (error) {
      if (id === shownId) setText(trouble, reasonOf(error));
    }
  }

  function show(/** @type {AdminGroup} */ group) {
    if (group.id !== shownId) return;
    setText(name, group.name);
    fillWith(facts, ...factsOf(group));
    fillWith(acts, ...buttons(group));
  }

  function buttons(/** @type {AdminGroup} */ group) {
    if (mine === null || mine === "auditor") return [];
    const { id } = group;
    const done = () => setText(outcome, t("Done."));
    const run =
      (/** @type {import("./admin_calls.js").GroupAct} */ act) => async (/** @type {string} */ reason) =>
        show(await calls.actOnGroup(id, act, reason));
    return [
      group.frozen
        ? adminAct({
            label: t("Unfreeze group"),
            words: t("Members can write in {name} again.", group),
            run: run("unfreeze"),
            done,
          })
        : adminAct({
            label: t("Freeze group"),
            words: t(
              "Members of {name} can read it, and nobody writes, joins or changes anything. They see the reason.",
              group,
            ),
            run: run("freeze"),
            done,
            danger: true,
          }),
      isListed(group) &&
        adminAct({
          label: t("Take out of the directory"),
          words: t("{name} is no longer found in the directory of groups. Its members stay.", group),
          run: run("unlist"),
          done,
        }),
      mine === "admin" &&
        adminAct({
          label: t("Delete group"),
          title: t("Delete {name}?", group),
          words: t("The group and everything in it is deleted for all its members, for good."),
          run: (reason) => calls.destroyGroup(id, reason),
          done: () => pages.replace(adminPartHref("groups")),
          danger: true,
        }),
    ];
  }

  return { node, open };
}

function factsOf(/** @type {AdminGroup} */ group) {
  const { id, owner, frozen, archived_at: archivedAt, created_at: createdAt } = group;
  const time = (/** @type {number} */ at) => h("time", { datetime: isoTime(at) }, fullTime(at));
  /** @type {[string, Node | string][]} */
  const facts = [
    [t("Id"), id],
    [t("Owner"), h("a", { href: adminPersonHref(owner.user_id) }, owner.name ?? owner.user_id)],
    [t("Members"), String(group.members)],
    [t("Messages"), String(group.messages)],
    [t("Bots"), String(group.bots)],
    [t("Created"), time(createdAt)],
    [t("In the directory"), isListed(group) ? t("Yes") : t("No")],
    [t("In the archive"), archivedAt === null ? t("No") : time(archivedAt)],
    [t("Frozen"), frozen ? h("span", { dir: "auto" }, time(frozen.at), " · ", frozen.reason) : t("No")],
  ];
  return facts.flatMap(([label, value]) => [h("dt", {}, label), h("dd", {}, value)]);
}
