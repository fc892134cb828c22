/**
 * The page for operators about the directory: the address that it needs, its tokens, and its groups.
 *
 * Owns the windows that make a token, which is shown once, and that map a group on a role. Both ask for a fresh
 * proof if the log-in is too old.
 */

import { askForProof } from "../security/proof.js";
import { ApiError } from "../sync/api.js";
import { reasonOf } from "../text/reason.js";
import { fullTime, isoTime } from "../text/time.js";
import { copyable } from "../ui/copy.js";
import { openForm } from "../ui/dialog_form.js";
import { fillWith, h, reconcile, setText } from "../ui/dom.js";
import { allRight, choice, field } from "../ui/field.js";
import { t } from "../words/words.js";
import { ROLES } from "./admin_people.js";
import { reasonField } from "./reason_field.js";

/** @typedef {import("./admin_calls.js").DirectoryGroup} DirectoryGroup */
/** @typedef {import("./admin_calls.js").OperatorRole} OperatorRole */
/** @typedef {import("./admin_calls.js").ScimToken} ScimToken */

/**
 * @param {import("../app/app.js").App} app
 * @param {import("./admin_calls.js").AdminCalls} calls
 */
export function createAdminDirectory(app, calls) {
  const trouble = h("p", { class: "alert", role: "alert" });
  const status = h("p", { class: "quiet", role: "status" });
  const rows = h("ul", { class: "keys" });
  const groupStatus = h("p", { class: "quiet", role: "status" });
  const groupRows = h("ul", { class: "keys" });
  const make = h("button", { class: "button", type: "button", onclick: openNew }, t("Make a token"));
  const node = h(
    "section",
    { "aria-label": t("Directory (SCIM)") },
    h("h3", {}, t("Directory (SCIM)")),
    h(
      "p",
      { class: "quiet" },
      t(
        "A directory like Entra ID or Okta creates, changes and deactivates accounts. It needs this address and a token. ",
      ),
      h("a", { href: "/docs/operators#scim" }, t("Documentation")),
    ),
    copyable({ label: t("address"), text: `${location.origin}/scim/v2` }),
    trouble,
    status,
    rows,
    make,
    h("h3", {}, t("Groups of the directory")),
    h(
      "p",
      { class: "quiet" },
      t("The directory writes them. Their members get a role only where you choose one."),
    ),
    groupStatus,
    groupRows,
  );

  async function load() {
    setText(trouble, "");
    try {
      const [{ tokens }, { groups }] = await Promise.all([calls.scimTokens(), calls.directoryGroups()]);
      reconcile(rows, tokens.map(row));
      setText(status, tokens.length === 0 ? t("There is no token yet.") : "");
      reconcile(groupRows, groups.map(groupRow));
      setText(groupStatus, groups.length === 0 ? t("The directory has written no group yet.") : "");
    } catch (error) {
      setText(trouble, reasonOf(error));
    }
  }

  /** @returns {import("../ui/dom.js").Row} */
  function row(/** @type {ScimToken} */ token) {
    const name = token.name ?? token.id;
    const build = () =>
      h(
        "li",
        { class: "key" },
        h(
          "div",
          { class: "key-words" },
          h("p", { class: "key-name" }, name),
          h(
            "p",
            { class: "quiet" },
            t("Made by {name}", {
              name: token.made_by.name ?? token.made_by.user_id,
            }),
            ...(token.last_used_at
              ? [t(", last used "), time(token.last_used_at)]
              : [t(", not used recently")]),
          ),
        ),
        h(
          "button",
          {
            class: "button",
            type: "button",
            "aria-label": t("End: {it}", { it: name }),
            onclick: () => end(token),
          },
          t("End"),
        ),
      );
    return { key: token.id, sign: JSON.stringify(token), build };
  }

  /** @returns {import("../ui/dom.js").Row} */
  function groupRow(/** @type {DirectoryGroup} */ group) {
    const signs = [
      t("{count} members", { count: group.members }),
      group.role ? ROLES[group.role] : t("No role"),
    ];
    const build = () =>
      h(
        "li",
        { class: "key" },
        h(
          "div",
          { class: "key-words" },
          h("p", { class: "key-name" }, group.name),
          h("p", { class: "quiet" }, signs.join(" · ")),
        ),
        h(
          "button",
          {
            class: "button",
            type: "button",
            "aria-label": t("Change role: {it}", { it: group.name }),
            onclick: () => openRole(group),
          },
          t("Change role"),
        ),
      );
    return { key: group.id, sign: JSON.stringify(group), build };
  }

  function openRole(/** @type {DirectoryGroup} */ group) {
    const reason = reasonField();
    const role = choice({
      label: t("Role"),
      options: [
        { value: "", label: t("No role") },
        ...Object.entries(ROLES).map(([value, label]) => ({ value, label })),
      ],
      value: group.role ?? "",
    });
    const wanted = () => /** @type {OperatorRole | ""} */ (role.input.value);
    const map = async () => {
      await calls.mapGroup(group.id, wanted() || null, reason.input.value.trim());
      await load();
    };
    openForm({
      title: t("Change role: {it}", { it: group.name }),
      asks: [role.node, reason.node],
      act: t("Change role"),
      async onSubmit(close) {
        if (!allRight([[reason, reason.input.value.trim() === "" && t("Enter a reason.")]])) return;
        try {
          await map();
          close();
        } catch (error) {
          if (!(error instanceof ApiError) || error.status !== 403) throw error;
          askForProof(app, {
            act: async () => {
              await map();
              close();
            },
          });
        }
      },
    });
  }

  async function end(/** @type {ScimToken} */ token) {
    try {
      await calls.endScimToken(token.id);
    } catch (error) {
      setText(trouble, reasonOf(error));
      return;
    }
    await load();
    make.focus();
  }

  function openNew() {
    const name = field({
      label: t("Name"),
      name: "name",
      autocomplete: "off",
      maxlength: 100,
    });
    const reason = reasonField();
    const place = h("div", { class: "dialog-form" }, name.node, reason.node);
    let isMade = false;

    const shown = async () => {
      const made = await calls.makeScimToken(name.input.value.trim(), reason.input.value.trim());
      isMade = true;
      fillWith(
        place,
        h("p", {}, t("Copy it now. It will not be shown again.")),
        copyable({ label: t("token"), text: made.access_token }),
      );
      await load();
    };
    openForm({
      title: t("New token"),
      asks: [place],
      act: t("Continue"),
      async onSubmit(close) {
        if (isMade) return close();
        const fine = allRight([
          [name, name.input.value.trim() === "" && t("Enter a name.")],
          [reason, reason.input.value.trim() === "" && t("Enter a reason.")],
        ]);
        if (!fine) return;
        try {
          await shown();
        } catch (error) {
          if (!(error instanceof ApiError) || error.status !== 403) throw error;
          askForProof(app, { act: shown });
        }
      },
    });
    name.input.focus();
  }

  return { node, load };
}

const time = (/** @type {number} */ at) => h("time", { datetime: isoTime(at) }, fullTime(at));
