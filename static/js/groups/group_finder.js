/** The window that finds groups in the directory, and shows the user's own requests to join groups. */

import { groupHref, homeHref } from "../app/route.js";
import { openJoinQuestion } from "../members/join_question.js";
import { avatar } from "../people/avatar.js";
import { reasonOf } from "../text/reason.js";
import { openDialog } from "../ui/dialog.js";
import { h, reconcile, setText } from "../ui/dom.js";
import { field } from "../ui/field.js";
import { pages } from "../ui/window.js";
import { t } from "../words/words.js";

/** @typedef {import("./group_calls.js").FoundGroup} FoundGroup */
/** @typedef {import("./group_calls.js").SentRequest} SentRequest */

/** How long the user has stopped typing before the directory is asked, in milliseconds. */
const PAUSE = 200;

/** What is said of a group that the user cannot join now, by what they are to it. @type {Record<string, string>} */
const STATES = { denied: t("Denied"), removed: t("You were removed") };

export function openGroupFinder(/** @type {import("../app/app.js").App} */ app) {
  const search = field({
    label: t("Name or description"),
    type: "search",
    name: "directory",
    autocomplete: "off",
    maxlength: 100,
  });
  const found = h("ul", { class: "people", "aria-label": t("Groups in the directory") });
  const sent = h("ul", { class: "people", "aria-label": t("Your requests to join") });
  const sentHead = h("h3", { hidden: true }, t("Your requests to join"));
  const status = h("p", { class: "quiet", role: "status" }, t("Loading…"));
  const alert = h("p", { class: "alert", role: "alert" });
  let newest = 0;
  let typed = 0;

  openDialog({
    title: t("Find groups"),
    content(close) {
      const acts = {
        join: (/** @type {FoundGroup} */ group) => attempt(() => ask(group, close)),
        withdraw: (/** @type {string} */ id) =>
          attempt(async () => {
            await app.groups.withdrawRequest(id);
            await Promise.all([loadFound(acts), loadSent(acts)]);
          }),
        close,
      };
      search.input.addEventListener("input", () => {
        clearTimeout(typed);
        typed = window.setTimeout(() => loadFound(acts), PAUSE);
      });
      loadFound(acts);
      loadSent(acts);
      return [h("div", { class: "dialog-form" }, search.node, alert, status, found, sentHead, sent)];
    },
  });

  async function attempt(/** @type {() => Promise<void>} */ act) {
    setText(alert, "");
    try {
      await act();
    } catch (error) {
      setText(alert, reasonOf(error));
    }
  }

  /** Shows the group and, if it asks one, its question. Who left comes back at once. */
  async function ask(
    /** @type {FoundGroup} */ { id, membership_state: state },
    /** @type {() => void} */ close,
  ) {
    if (state === "exited") {
      await app.groups.rejoin(id);
      close();
      pages.goTo(groupHref(id));
      return;
    }
    const group = await app.groups.preview(id);
    close();
    openJoinQuestion(app, { groupId: id }, { group, invited_by: null }, (href) => {
      if (href !== homeHref) pages.goTo(href);
    });
  }

  async function loadFound(/** @type {Acts} */ acts) {
    newest += 1;
    const own = newest;
    try {
      const { groups } = await app.groups.directory(search.input.value.trim());
      if (own !== newest) return;
      setText(status, groups.length > 0 ? "" : t("No groups found."));
      const rows = groups.map((group) => ({
        key: group.id,
        sign: JSON.stringify(group),
        build: () => foundRow(group, acts),
      }));
      reconcile(found, rows);
    } catch (error) {
      if (own !== newest) return;
      const isOff = /** @type {any} */ (error)?.status === 404;
      search.node.hidden = isOff;
      setText(status, isOff ? t("This server has no directory of groups.") : "");
      if (!isOff) setText(alert, reasonOf(error));
    }
  }

  async function loadSent(/** @type {Acts} */ acts) {
    const requests = await app.groups.sentRequests().catch(() => []);
    sentHead.hidden = requests.length === 0;
    const rows = requests.map((request) => ({
      key: request.group_id,
      sign: request.state,
      build: () => sentRow(request, acts),
    }));
    reconcile(sent, rows);
  }
}

/**
 * @typedef {{ join: (group: FoundGroup) => void, withdraw: (id: string) => void, close: () => void }} Acts
 */

function foundRow(/** @type {FoundGroup} */ group, /** @type {Acts} */ acts) {
  const { id, name, avatar_url: imageUrl, members_count: count, description } = group;
  const members = count === 1 ? t("1 member") : t("{count} members", { count });
  return h(
    "li",
    { class: "people-row" },
    avatar({ id, name, imageUrl, shape: "group" }),
    h(
      "span",
      { class: "people-name" },
      h("bdi", {}, name),
      h("span", { class: "quiet found-about", dir: "auto" }, description || members),
      description ? h("span", { class: "quiet found-about" }, members) : false,
    ),
    foundAct(group, acts),
  );
}

function foundAct(/** @type {FoundGroup} */ group, /** @type {Acts} */ acts) {
  const { id, name, membership_state: state } = group;
  if (state === "active") {
    const label = t("Open {name}", { name });
    return h(
      "a",
      { class: "button", href: groupHref(id), "aria-label": label, onclick: acts.close },
      t("Open"),
    );
  }
  if (state === "requested_pending") return withdrawButton(id, name, acts);
  const words = STATES[state ?? ""];
  if (words) return h("span", { class: "quiet" }, words);
  const asks = group.requires_approval && state !== "exited";
  return h(
    "button",
    {
      class: "button",
      type: "button",
      "aria-label": asks ? t("Ask to join {name}", { name }) : t("Join {name}", { name }),
      onclick: () => acts.join(group),
    },
    asks ? t("Ask to join") : t("Join"),
  );
}

function sentRow(/** @type {SentRequest} */ request, /** @type {Acts} */ acts) {
  const { group_id: id, name, image_url: imageUrl, state } = request;
  return h(
    "li",
    { class: "people-row" },
    avatar({ id, name, imageUrl, shape: "group" }),
    h("span", { class: "people-name" }, h("bdi", {}, name)),
    state === "denied" ? h("span", { class: "quiet" }, STATES.denied) : withdrawButton(id, name, acts),
  );
}

function withdrawButton(/** @type {string} */ id, /** @type {string} */ name, /** @type {Acts} */ acts) {
  return h(
    "button",
    {
      class: "button",
      type: "button",
      "aria-label": t("Withdraw your request to join {name}", { name }),
      onclick: () => acts.withdraw(id),
    },
    t("Withdraw"),
  );
}
