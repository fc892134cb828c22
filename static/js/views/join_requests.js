/**
 * The section for requests to become a member of the open group, for those who may approve them.
 *
 * Owns the list: it is loaded when the panel of the group is opened, and again when it may have changed.
 * Nothing is shown where there are no requests.
 */

import { h, reconcile } from "../dom.js";
import { convOfGroup } from "../store.js";
import { t } from "../words.js";
import { avatar } from "./avatar.js";

/** @typedef {import("../types.js").Group} Group */
/** @typedef {import("../group_calls.js").JoinRequest} JoinRequest */

export function createJoinRequests(/** @type {import("../app.js").App} */ app) {
  /** @type {Group | null} */
  let shown = null;
  /** @type {JoinRequest[]} */
  let requests = [];
  /** The number of the newest load: answers to earlier ones come too late. */
  let newest = 0;
  let connection = app.state.get().connection;

  const rows = h("ul", { class: "group-bots" });
  const trouble = h("p", { class: "quiet", role: "alert" });
  const node = h(
    "section",
    { class: "panel-section", "aria-label": t("Requests to join"), hidden: true },
    h("h3", {}, t("Requests to join")),
    rows,
    trouble,
  );

  async function load(/** @type {string} */ groupId) {
    newest += 1;
    const own = newest;
    const found = await app.groups.joinRequests(groupId).catch(() => null);
    if (!found || own !== newest) return;
    requests = found;
    draw();
  }

  function draw() {
    node.hidden = requests.length === 0;
    reconcile(
      rows,
      requests.map((request) => row(request, (isApproved) => decide(request, isApproved))),
    );
  }

  async function decide(/** @type {JoinRequest} */ request, /** @type {boolean} */ isApproved) {
    const group = shown;
    if (!group) return;
    trouble.textContent = "";
    try {
      await app.groups.decideRequest(group.id, request.id, isApproved);
    } catch (error) {
      trouble.textContent = error instanceof Error ? error.message : "";
    }
    if (shown?.id === group.id) load(group.id);
  }

  app.onEvent((_, { conv, type }) => {
    if (shown && conv === convOfGroup(shown.id) && type.startsWith("membership.")) load(shown.id);
  });

  return {
    node,
    /** Shows the requests of a group; null while the panel is closed. */
    show(/** @type {Group | null} */ group, /** @type {import("../state.js").State} */ state) {
      const isOther = group?.id !== shown?.id;
      // Events may have been missed while the feed was interrupted.
      const isBack = state.connection === "live" && connection !== "live";
      connection = state.connection;
      shown = group;
      if (isOther) {
        newest += 1;
        requests = [];
        trouble.textContent = "";
        draw();
      }
      if (group && (isOther || isBack)) load(group.id);
    },
  };
}

/** @returns {import("../dom.js").Row} */
function row(/** @type {JoinRequest} */ request, /** @type {(isApproved: boolean) => void} */ decide) {
  const { id, user_id: user, nickname: name, image_url: imageUrl, reason } = request;
  const address = reason.answer.response;
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
        h(
          "span",
          { class: "bot-line" },
          t("Entered the invited address {address}, which is not confirmed", { address }),
        ),
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
