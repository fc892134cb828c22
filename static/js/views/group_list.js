/**
 * The side of the page: the way to message requests, the user's conversations, last activity first, and below them who
 * they are.
 *
 * Owns the list, the search by name, and moving through the list with the arrow keys. `list_row.js` draws a
 * row.
 */

import { isRequest } from "../chats.js";
import { h, setText } from "../dom.js";
import { icon, mark } from "../icons.js";
import { nameOf } from "../naming.js";
import { accountHref, convOf, requestsHref } from "../route.js";
import { listed, openRequests } from "../store.js";
import { t } from "../words.js";
import { avatar } from "./avatar.js";
import { onPlaceChange } from "./beside.js";
import { createFinder } from "./finder.js";
import { listRow, summary } from "./list_row.js";
import { logOut } from "./log_out.js";
import { createVirtualList } from "./virtual_list.js";
import {
  openFormerGroups,
  openGroupFinder,
  openNewGroup,
  openNewMessage,
  openPalette,
  openPictureDialog,
} from "./windows.js";

export function createGroupList(
  /** @type {import("../app.js").App} */ app,
  /** @type {HTMLElement} */ connection,
) {
  const rows = h("ul", { class: "groups", onkeydown: walk });
  const requestCount = h("span", { class: "requests-count" });
  const requests = h(
    "a",
    { class: "group requests-link", href: requestsHref, hidden: true, onkeydown: walk },
    h("span", { class: "requests-sign" }, icon("message")),
    h("span", { class: "group-name" }, t("Message requests")),
    " ",
    requestCount,
  );
  const creates = h(
    "div",
    {},
    h("p", { class: "quiet" }, t("Create a group and add the people you want to talk to.")),
    h(
      "button",
      { class: "button button-primary", type: "button", onclick: () => openNewGroup(app) },
      t("Create a group"),
    ),
  );
  const empty = h(
    "div",
    { class: "groups-empty" },
    h("p", {}, t("No conversations yet.")),
    h("p", { class: "quiet" }, t("Do you have an invitation link? Open it in this browser.")),
    creates,
  );
  const waiting = h("div", { class: "groups-waiting", "aria-hidden": "true" });
  for (let i = 0; i < 5; i += 1) waiting.append(h("span"));

  const goTo = headButton("search", t("Go to (Ctrl K)"), () => openPalette(app));
  const newGroup = headButton("plus", t("New group"), () => openNewGroup(app));
  const newMessage = headButton("compose", t("New message"), () => openNewMessage(app));
  const former = h(
    "button",
    { class: "side-more", type: "button", onclick: () => openFormerGroups(app) },
    t("Groups you left"),
  );
  const findGroups = h(
    "button",
    { class: "side-more", type: "button", onclick: () => openGroupFinder(app) },
    t("Find groups"),
  );
  const me = h("p", { class: "me-name" });
  const meAvatar = h("button", {
    class: "me-picture",
    type: "button",
    "aria-label": t("Your picture"),
    title: t("Your picture"),
    onclick: () => openPictureDialog({ title: t("Your picture"), onSave: app.setAvatar }),
  });
  let shownMe = "";
  const account = h(
    "a",
    { class: "button-icon", href: accountHref, "aria-label": t("Account"), title: t("Account") },
    icon("account"),
  );
  const logout = h(
    "button",
    {
      class: "button-icon",
      type: "button",
      "aria-label": t("Log out"),
      title: t("Log out"),
      onclick: () => logOut(app),
    },
    icon("leave"),
  );
  const finder = createFinder(t("Find a conversation"), () => app.state.touch());
  const nobody = h("p", { class: "quiet groups-nobody", role: "status" });
  const place = h(
    "nav",
    { class: "side-list", "aria-label": t("Conversations") },
    requests,
    rows,
    nobody,
    empty,
    waiting,
    findGroups,
    former,
  );
  const list = createVirtualList(rows, place);
  onPlaceChange(app.state.touch);
  const node = h(
    "div",
    { class: "side" },
    h(
      "div",
      { class: "side-head" },
      h("p", { class: "brand", "aria-hidden": "true" }, mark(), "Coterie"),
      goTo,
      newMessage,
      newGroup,
    ),
    finder.node,
    place,
    h(
      "section",
      { class: "side-foot", "aria-label": t("You") },
      meAvatar,
      h("div", { class: "me" }, me, connection),
      account,
      logout,
    ),
  );

  function show(/** @type {import("../state.js").State} */ state) {
    const { snapshot } = state;
    const conversations = snapshot ? listed(snapshot) : [];
    waiting.hidden = snapshot !== null;
    const isGuest = snapshot?.user.kind === "guest";
    former.hidden = snapshot === null;
    findGroups.hidden = snapshot === null || isGuest;
    newGroup.hidden = creates.hidden = isGuest;
    empty.hidden = snapshot === null || conversations.length > 0;
    const now = Date.now() / 1000;
    const me = snapshot?.user.id ?? "";
    const found = finder.among(conversations, nameOf);
    setText(nobody, found.length === 0 && conversations.length > 0 ? t("No results.") : "");
    list.show({
      keys: found.map(({ conv }) => conv),
      row: (at) => listRow(summary(found[at], state, me, now, app.drafts.content(found[at].conv))),
    });
    showRequests(state);
    if (snapshot) showMe(snapshot.user);
  }

  /** Shows how many requests there are, and marks the row while one of them is open. */
  function showRequests(/** @type {import("../state.js").State} */ { snapshot, route }) {
    const { length } = snapshot ? openRequests(snapshot) : [];
    const isInside = isRequest(snapshot?.conversations[convOf(route) ?? ""]);
    requests.hidden = length === 0;
    setText(requestCount, String(length));
    if (route.name === "requests") requests.setAttribute("aria-current", "page");
    else if (isInside) requests.setAttribute("aria-current", "true");
    else requests.removeAttribute("aria-current");
  }

  function showMe(/** @type {import("../types.js").User} */ { id, name, image_url: imageUrl }) {
    const sign = JSON.stringify([id, name, imageUrl]);
    if (sign === shownMe) return;
    shownMe = sign;
    setText(me, name);
    meAvatar.replaceChildren(avatar({ id, name, imageUrl, size: "small" }));
  }

  /** The row that many rows below the focused one; above the first one are the requests. */
  function neighbour(/** @type {number} */ step) {
    const link = list.fromFocus(step)?.querySelector("a");
    return link ?? (step < 0 && !requests.hidden ? requests : null);
  }

  function walk(/** @type {KeyboardEvent} */ event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    const isAbove = document.activeElement === requests;
    const next = isAbove ? step > 0 && rows.querySelector("a") : neighbour(step);
    if (!next) return;
    event.preventDefault();
    next.focus({ preventScroll: true });
  }

  return {
    node,
    show,
    /** Sets the focus after the account page was closed. */
    focusAccount: () => account.focus(),
    /** Sets the focus after the requests were closed; on "New group" once there are none. */
    focusRequests: () => (requests.hidden ? newGroup : requests).focus(),
    /**
     * Sets the focus on the row of a conversation that was just left, or else on the first row or on "New
     * group".
     */
    focus(/** @type {string} */ conv) {
      const link = list.reveal(conv)?.querySelector("a") ?? rows.querySelector("a") ?? newGroup;
      link.focus();
    },
  };
}

function headButton(
  /** @type {import("../icons.js").IconName} */ sign,
  /** @type {string} */ label,
  /** @type {() => void} */ onclick,
) {
  return h(
    "button",
    { class: "button-icon", type: "button", "aria-label": label, title: label, onclick },
    icon(sign),
  );
}
