/**
 * Asks a user who opened a group's share link whether they want to join.
 *
 * Owns that they are asked once, after signing in, and that the address is an ordinary one afterwards.
 */

import { groupHref } from "../route.js";
import { convOfGroup } from "../store.js";
import { openJoinQuestion } from "./windows.js";

export function createInvitation(/** @type {import("../app.js").App} */ app) {
  let isAsked = false;

  /** Ends the invitation: from here on the address names the page that is shown. */
  function answer(/** @type {string} */ href) {
    history.replaceState(null, "", `/${href}`);
    app.answered();
    app.navigated(location.hash);
  }

  return {
    show(/** @type {import("../state.js").State} */ { invitation, snapshot }) {
      if (!invitation || !snapshot || isAsked) return;
      isAsked = true;
      const isIn = Boolean(snapshot.conversations[convOfGroup(invitation.groupId)]);
      if (isIn) answer(groupHref(invitation.groupId));
      else openJoinQuestion(app, invitation, answer);
    },
  };
}
