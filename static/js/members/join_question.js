/**
 * The window that asks a user who opened a share link, or found a group in the directory, whether to join: says which
 * group it is and who invites.
 */

import { groupHref, homeHref } from "../app/route.js";
import { DEAD_LINK, invitedBy } from "../invites/invited_by.js";
import { countChars } from "../text/text.js";
import { openForm } from "../ui/dialog_form.js";
import { h } from "../ui/dom.js";
import { allRight, lines } from "../ui/field.js";
import { t } from "../words/words.js";

/** What the server says of an invite that was used up or ended. */
const LINK_ENDED = "this link has ended; ask for a new one";
/** The greatest length of an answer, in characters. */
const MOST = 500;

export function openJoinQuestion(
  /** @type {import("../app/app.js").App} */ app,
  /** @type {{ groupId: string, token?: string }} */ invitation,
  /** @type {import("../groups/group_calls.js").Invited | null} */ invited,
  /** @type {(href: string) => void} */ onAnswer,
) {
  let where = homeHref;
  const asks = invited?.group.requires_approval ?? false;
  const question = asks && invited?.group.show_join_question && invited.group.join_question?.text;
  const answer = question ? lines({ label: question, name: "answer", maxlength: MOST }) : null;
  const words = h(
    "p",
    { class: "quiet" },
    invitation.token === undefined
      ? t(
          "Its members will see your name and picture, and you will see their messages. You can leave at any time.",
        )
      : t(
          "Someone shared a link to a group with you. Its members will see your name and picture, and you will see their messages. You can leave at any time.",
        ),
  );
  const dialog = openForm({
    title: t("Join this group?"),
    asks: [
      invited ? invitedBy(invited) : false,
      asks && h("p", {}, t("The owner or an admin decides whether you join.")),
      words,
      answer?.node ?? false,
    ],
    act: asks ? t("Ask to join") : t("Join the group"),
    refusal: t("Not now"),
    async onSubmit(close) {
      const response = answer?.input.value.trim() ?? "";
      const problem = response === "" && t("Answer the question.");
      const isLong = countChars(response) > MOST && t("At most {MOST} characters.", { MOST });
      if (answer && !allRight([[answer, problem || isLong]])) return;
      if (await join(app, invitation, response)) where = groupHref(invitation.groupId);
      else app.tell(t("You asked to join. You are in once the owner or an admin approves."));
      close();
    },
  });
  /** @type {HTMLElement | null} */ (answer?.input ?? dialog.querySelector("[type=submit]"))?.focus();
  dialog.addEventListener("close", () => {
    // If the user was signed out meanwhile, the next one who signs in is asked.
    if (app.state.get().snapshot) onAnswer(where);
  });
}

async function join(
  /** @type {import("../app/app.js").App} */ app,
  /** @type {{ groupId: string, token?: string }} */ invitation,
  /** @type {string} */ answer,
) {
  try {
    return await app.groups.join(invitation, answer);
  } catch (error) {
    // A link that has ended is refused like a ban, whose text says so.
    const { status, problems = [] } = /** @type {any} */ (error) ?? {};
    const isGone = status === 404 || problems[0] === LINK_ENDED;
    throw isGone ? new Error(DEAD_LINK) : error;
  }
}
