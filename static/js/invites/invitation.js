/**
 * Asks a user who opened a group's share link whether they want to join. An operators' invitation has nothing to ask.
 *
 * Owns that the link is checked first, that they are asked once, after signing in, and that the address is an ordinary one afterwards.
 */

import { groupHref, homeHref } from "../app/route.js";
import { openJoinQuestion } from "../app/windows.js";
import { convOfGroup } from "../sync/store.js";
import { pages } from "../ui/window.js";
import { DEAD_LINK } from "./invited_by.js";

export function createInvitation(/** @type {import("../app/app.js").App} */ app) {
  let isAsked = false;

  /** Ends the invitation: from here on the address names the page that is shown. */
  function answer(/** @type {string} */ href) {
    app.answered();
    pages.replace(`/${href}`);
  }

  function ask(
    /** @type {import("../app/route.js").Invitation} */ invitation,
    /** @type {import("../groups/group_calls.js").Checked} */ checked,
  ) {
    if (!app.state.get().snapshot) return;
    if (checked.kind === "dead") {
      answer(homeHref);
      app.complain(DEAD_LINK);
      return;
    }
    openJoinQuestion(app, invitation, checked.kind === "valid" ? checked.invited : null, answer);
  }

  return {
    show(/** @type {import("../sync/state.js").State} */ { invitation, accountInvitation, snapshot }) {
      if (accountInvitation && snapshot) {
        app.answered();
        pages.replace("/");
      }
      if (!invitation || !snapshot || isAsked) return;
      isAsked = true;
      const isIn = Boolean(snapshot.conversations[convOfGroup(invitation.groupId)]);
      if (isIn) answer(groupHref(invitation.groupId));
      else app.checkInvitation().then((checked) => ask(invitation, checked));
    },
  };
}
