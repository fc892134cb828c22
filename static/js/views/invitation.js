/**
 * Somebody opened a group's share link: whether to ask if they want to join.
 *
 * Owns asking once, after signing in, and that the address is an ordinary one again
 * afterwards.
 */

import { groupHref } from "../route.js";
import { convOfGroup } from "../store.js";
import { openJoinQuestion } from "./windows.js";

export function createInvitation(/** @type {import("../app.js").App} */ app) {
  let isAsked = false;

  /** The link is answered: from here on the address names what is shown. */
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
