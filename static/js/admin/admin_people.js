/** The people of the server, for operators: a searchable list, and one person with what may be done. */

import { avatar } from "../people/avatar.js";
import { reasonOf } from "../text/reason.js";
import { fullTime, isoTime } from "../text/time.js";
import { openForm } from "../ui/dialog_form.js";
import { fillWith, h, setText } from "../ui/dom.js";
import { choice } from "../ui/field.js";
import { t } from "../words/words.js";
import { adminAct } from "./admin_act.js";
import { createAdminList } from "./admin_list.js";
import { adminPartHref, adminPersonHref } from "./admin_route.js";
import { reasonField } from "./reason_field.js";

/** @typedef {import("./admin_calls.js").AdminCalls} AdminCalls */
/** @typedef {import("./admin_calls.js").AdminUser} AdminUser */
/** @typedef {import("./admin_calls.js").OperatorRole} OperatorRole */

/** @type {Record<OperatorRole, string>} */
export const ROLES = { admin: t("Admin"), moderator: t("Moderator"), auditor: t("Auditor") };

/** What an account waits for. */
const WAITING = {
  confirmation: t("Waits for the confirmation of the address"),
  approval: t("Waits for the approval of the operators"),
};

export function createAdminPeople(/** @type {AdminCalls} */ calls) {
  const list = createAdminList({
    label: t("People"),
    search: t("Search by name, email address or id"),
    none: t("Nobody found."),
    load: async (q, before) => {
      const { users, before: next } = await calls.users(q, before);
      return { entries: users, before: next };
    },
    row,
  });
  return list;
}

function row(/** @type {AdminUser} */ user) {
  const build = () =>
    h(
      "li",
      { class: "key" },
      avatar({ id: user.id, name: user.name, imageUrl: user.image_url, size: "small" }),
      h(
        "div",
        { class: "key-words" },
        h("p", { class: "key-name" }, h("a", { href: adminPersonHref(user.id) }, user.name)),
        h("p", { class: "quiet" }, [user.email, ...signs(user)].join(" · ")),
      ),
    );
  return { key: user.id, sign: JSON.stringify(user), build };
}

const signs = (/** @type {AdminUser} */ { role, kind, disabled_at, deactivated_at, waiting }) => [
  ...(role ? [ROLES[role]] : []),
  ...(kind === "guest" ? [t("Guest")] : []),
  ...(disabled_at === null ? [] : [t("Disabled")]),
  ...(deactivated_at === null ? [] : [t("Deactivated by the directory")]),
  ...(waiting === null ? [] : [WAITING[waiting]]),
];

/** One person. */
export function createAdminPerson(/** @type {AdminCalls} */ calls) {
  const trouble = h("p", { class: "alert", role: "alert" });
  const outcome = h("p", { class: "outcome", role: "status" });
  const name = h("h3", { tabindex: "-1" });
  const facts = h("dl", { class: "facts" });
  const acts = h("div", { class: "admin-acts" });
  const back = h("a", { href: adminPartHref("people") }, t("All people"));
  const node = h("section", { "aria-label": t("Person") }, back, trouble, name, facts, acts, outcome);
  /** @type {OperatorRole | null} */
  let mine = null;

  async function open(/** @type {string} */ id, /** @type {OperatorRole | null} */ role) {
    mine = role;
    for (const place of [trouble, outcome, name]) setText(place, "");
    for (const place of [facts, acts]) fillWith(place);
    try {
      show(await calls.user(id));
      name.focus();
    } catch (error) {
      setText(trouble, reasonOf(error));
    }
  }

  function show(/** @type {AdminUser} */ user) {
    setText(name, user.name);
    fillWith(facts, ...factsOf(user));
    fillWith(acts, ...buttons(user));
  }

  function buttons(/** @type {AdminUser} */ user) {
    if (mine === null || mine === "auditor" || (mine === "moderator" && user.role !== null)) return [];
    const { id } = user;
    const act =
      (/** @type {import("./admin_calls.js").PersonAct} */ what) => async (/** @type {string} */ reason) =>
        show(await calls.act(id, what, reason));
    return [
      user.disabled_at === null
        ? button(
            t("Disable account"),
            t("{name} can no longer log in, and is logged out everywhere.", user),
            act("disable"),
            true,
          )
        : button(t("Enable account"), t("{name} can log in again.", user), act("enable")),
      button(t("Log out everywhere"), t("{name} has to log in again on every device.", user), act("logout")),
      user.disabled_at === null &&
        button(
          t("Link for a new password"),
          t("The link works once, within 24 hours. Pass it on to {name} only.", user),
          async (reason) => showLink((await calls.recover(id, reason)).url),
        ),
      mine === "admin" &&
        user.kind === "guest" &&
        button(
          t("Make a member"),
          t("{name} becomes a member: the account no longer ends, and may do what others may.", user),
          async (reason) => show(await calls.makeMember(id, reason)),
        ),
      mine === "admin" && roleButton(user),
    ];
  }

  /** A button that asks for a reason first. */
  function button(
    /** @type {string} */ label,
    /** @type {string} */ words,
    /** @type {(reason: string) => Promise<unknown>} */ run,
    danger = false,
  ) {
    return adminAct({ label, words, run, danger, done: () => setText(outcome, t("Done.")) });
  }

  function roleButton(/** @type {AdminUser} */ user) {
    const onclick = () => {
      const reason = reasonField();
      const role = choice({
        label: t("Role"),
        options: [
          { value: "", label: t("No role") },
          ...Object.entries(ROLES).map(([value, label]) => ({ value, label })),
        ],
        value: user.role ?? "",
      });
      openForm({
        title: t("Change role"),
        asks: [
          h(
            "p",
            { class: "quiet" },
            t("An admin does everything, a moderator looks after people and groups, an auditor reads."),
          ),
          role.node,
          reason.node,
        ],
        act: t("Change role"),
        async onSubmit(close) {
          const why = reason.read();
          if (why === null) return;
          const wanted = /** @type {OperatorRole | ""} */ (role.input.value);
          show(await calls.setRole(user.id, wanted || null, why));
          close();
          setText(outcome, t("Done."));
        },
      });
    };
    return h("button", { class: "button", type: "button", onclick }, t("Change role"));
  }

  function showLink(/** @type {string} */ url) {
    acts.append(h("p", { class: "admin-link" }, h("a", { href: url, dir: "ltr" }, url)));
  }

  return { node, open };
}

/** @returns {[string, Node | string]} */
const waitingFact = (/** @type {keyof typeof WAITING} */ waiting) => [
  t("Can be used"),
  waiting === "approval" ? h("a", { href: adminPartHref("requests") }, WAITING.approval) : WAITING[waiting],
];

/** @returns {[string, string]} */
const guestFact = (/** @type {AdminUser} */ { expires_at: end }) => [
  t("Guest"),
  end === null ? t("Never ends") : t("Until {time}", { time: fullTime(end) }),
];

function factsOf(/** @type {AdminUser} */ user) {
  const time = (/** @type {number | null} */ at) =>
    at === null ? t("Never") : h("time", { datetime: isoTime(at) }, fullTime(at));
  /** @type {[string, Node | string][]} */
  const facts = [
    [t("Id"), user.id],
    [t("Email"), user.email],
    [t("Phone number"), user.phone_number ?? "–"],
    ...(user.kind === "guest" ? [guestFact(user)] : []),
    [t("Role"), user.role ? ROLES[user.role] : t("No role")],
    [t("Registered"), time(user.created_at)],
    [t("Last seen"), time(user.last_used_at)],
    [t("Disabled"), user.disabled_at === null ? t("No") : time(user.disabled_at)],
    [t("Deactivated by the directory"), user.deactivated_at === null ? t("No") : time(user.deactivated_at)],
    ...(user.waiting === null ? [] : [waitingFact(user.waiting)]),
    [t("Sessions"), String(user.tokens)],
    [t("Groups"), String(user.groups)],
  ];
  return facts.flatMap(([label, value]) => [h("dt", {}, label), h("dd", {}, value)]);
}
