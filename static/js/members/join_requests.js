/**
 * The section for requests to become a member of the open group, for those who may approve them.
 *
 * Nothing is shown where there are no requests.
 */

import { createGroupLists } from "../groups/group_lists.js";
import { isReadOnly } from "../groups/standstill.js";
import { avatar } from "../people/avatar.js";
import { h, reconcile } from "../ui/dom.js";
import { t } from "../words/words.js";

/** @typedef {import("../groups/group_calls.js").JoinRequest} JoinRequest */

export function createJoinRequests(/** @type {import("../app/app.js").App} */ app) {
  const rows = h("ul", { class: "group-bots" });
  const lists = createGroupLists({
    app,
    nothing: /** @type {JoinRequest[]} */ ([]),
    load: (group) => app.groups.joinRequests(group.id),
    mayChange: (type) => type.startsWith("membership."),
    // Nobody joins while a group is archived or frozen.
    sees: (group) => !isReadOnly(group),
    draw,
  });
  const node = h(
    "section",
    { class: "panel-section", "aria-label": t("Requests to join"), hidden: true },
    h("h3", {}, t("Requests to join")),
    rows,
    lists.trouble,
  );

  function draw(/** @type {JoinRequest[]} */ requests) {
    node.hidden = requests.length === 0;
    reconcile(
      rows,
      requests.map((request) =>
        row(request, (isApproved) =>
          lists.change((id) => app.groups.decideRequest(id, request.id, isApproved)),
        ),
      ),
    );
  }

  return { node, show: lists.show };
}

/** The lines that say why a user would become a member. */
function why(/** @type {JoinRequest["reason"]} */ { question, answer, method }) {
  const line = (/** @type {string} */ words) => h("span", { class: "bot-line" }, words);
  const { response } = answer;
  if (method === "share_url" && response) {
    return [line(question.text), h("p", { class: "answer", dir: "auto" }, response)];
  }
  if (method === "share_url") return [line(t("Asks to join by an invite"))];
  if (!response) return [line(t("A member added them."))];
  return [line(t("Has the invited address {address}", { address: response }))];
}

/** @returns {import("../ui/dom.js").Row} */
function row(/** @type {JoinRequest} */ request, /** @type {(isApproved: boolean) => void} */ decide) {
  const { id, user_id: user, nickname: name, image_url: imageUrl, reason } = request;
  const button = (
    /** @type {string} */ words,
    /** @type {string} */ label,
    /** @type {boolean} */ isApproved,
  ) =>
    h(
      "button",
      { class: "button", type: "button", "aria-label": label, onclick: () => decide(isApproved) },
      words,
    );
  const build = () =>
    h(
      "li",
      { class: "group-bot" },
      avatar({ id: user, name, imageUrl }),
      h(
        "div",
        { class: "bot-words" },
        h("span", { class: "bot-name" }, h("bdi", { class: "ends" }, name)),
        ...why(reason),
        h(
          "p",
          { class: "unsent-actions" },
          button(t("Approve"), t("Approve {name}", { name }), true),
          button(t("Deny"), t("Deny {name}", { name }), false),
        ),
      ),
    );
  return { key: id, sign: JSON.stringify(request), build };
}
