/** The window about one person: write to them, block them, and what the user may do about them in a group. */

import { chatHref, convOf } from "../app/route.js";
import { convOfPair, personKnown } from "../chats/chats.js";
import { isAdmin, isOwner, memberOf } from "../groups/groups.js";
import { may } from "../groups/permissions.js";
import { openBan } from "../moderation/ban_form.js";
import { openPersonReport } from "../moderation/report_form.js";
import { openTimeout } from "../moderation/timeout_form.js";
import { confirm } from "../ui/confirm.js";
import { openDialog } from "../ui/dialog.js";
import { h } from "../ui/dom.js";
import { icon } from "../ui/icons.js";
import { t } from "../words/words.js";
import { avatar } from "./avatar.js";
import { askToBlock } from "./block_question.js";
import { endBlock } from "./blocking.js";

/** @typedef {import("../app/app.js").App} App */
/** @typedef {import("../sync/types.js").Group} Group */
/** @typedef {import("../sync/types.js").Person} Person */

export function openPerson(
  /** @type {App} */ app,
  /** @type {Person} */ person,
  /** @type {Group | undefined} */ group,
) {
  const { snapshot, route } = app.state.get();
  if (!snapshot || person.id === snapshot.user.id) return;
  const me = snapshot.user.id;
  const conv = convOfPair(me, person.id);
  const isBlocked = snapshot.blocked.includes(person.id);
  const isGuest = (personKnown(snapshot, person.id) ?? person).isGuest ?? false;
  openDialog({
    title: person.name,
    content: (close) => [
      h(
        "div",
        { class: "person" },
        avatar({ ...person, size: "large" }),
        h("p", { class: "quiet" }, standing(person, group, isBlocked)),
        isGuest && h("span", { class: "badge" }, t("Guest")),
        h(
          "div",
          { class: "person-acts" },
          convOf(route) !== conv && messageLink(app, person, conv, close),
          ...(group ? inGroup(app, person, group, me).map((act) => button(act, close)) : []),
          isBlocked
            ? button(
                { label: t("Unblock {name}", { name: person.name }), run: () => endBlock(app, person) },
                close,
              )
            : button(
                { label: t("Block {name}", { name: person.name }), run: () => askToBlock(app, person) },
                close,
              ),
          button(
            { label: t("Report {name}", { name: person.name }), run: () => openPersonReport(app, person) },
            close,
          ),
        ),
      ),
    ],
  });
}

/** Says in a few words what the person is in the group, or that they are blocked. */
function standing(
  /** @type {Person} */ { id, name },
  /** @type {Group | undefined} */ group,
  /** @type {boolean} */ isBlocked,
) {
  if (isBlocked) return t("You blocked {name}.", { name });
  if (!group) return "";
  if (!memberOf(group, id)) return t("Not in {name} any more", { name: group.name });
  if (isOwner(group, id)) return t("Owner of {name}", { name: group.name });
  return isAdmin(group, id)
    ? t("Admin of {name}", { name: group.name })
    : t("Member of {name}", { name: group.name });
}

function messageLink(
  /** @type {App} */ app,
  /** @type {Person} */ person,
  /** @type {string} */ conv,
  /** @type {() => void} */ close,
) {
  const onclick = () => {
    app.people.meet(person);
    close();
  };
  const look = "button button-primary button-wide";
  return h(
    "a",
    { class: look, href: chatHref(conv), onclick },
    icon("message"),
    t("Message {name}", { name: person.name }),
  );
}

/** @typedef {{ label: string, danger?: boolean, run: () => unknown }} Act */

/** Returns what the user may do about a person in a group. @returns {Act[]} */
function inGroup(
  /** @type {App} */ app,
  /** @type {Person} */ person,
  /** @type {Group} */ group,
  /** @type {string} */ me,
) {
  const { id, name } = person;
  const member = memberOf(group, id);
  if (!member) return [];
  /** @type {Act[]} */
  const acts = [];
  const isPersonAdmin = isAdmin(group, id);
  if (may(group, me, "change_roles") && !isOwner(group, id)) {
    const onSure = () => app.groups.changeRole(group.id, member, isPersonAdmin ? "user" : "admin");
    const asked = isPersonAdmin
      ? {
          title: t("Remove {name} as an admin of {name2}?", { name, name2: group.name }),
          words: t("{name} stays in the group as a member.", { name }),
          act: t("Remove as admin"),
          onSure,
        }
      : {
          title: t("Make {name} an admin of {name2}?", { name, name2: group.name }),
          words: t("Admins change the settings, remove members and delete messages of others."),
          act: t("Make admin"),
          danger: false,
          onSure,
        };
    acts.push({ label: asked.act, run: () => confirm(asked) });
  }
  if (may(group, me, "hand_over")) {
    const words = t("{name} can then delete the group. You stay in it as an admin.", { name });
    const onSure = () => app.groups.handOver(group.id, id);
    const asked = {
      title: t("Hand {name} over to {name2}?", { name: group.name, name2: name }),
      words,
      act: t("Hand over"),
      danger: false,
      onSure,
    };
    acts.push({ label: t("Make {name} the owner", { name }), run: () => confirm(asked) });
  }
  if (!isOwner(group, id) && may(group, me, isPersonAdmin ? "remove_admins" : "remove_members")) {
    const words = t(
      "{name} can no longer see messages here, and can return only if someone adds them or sends them a share link.",
      { name },
    );
    const onSure = () => app.groups.remove(group.id, member);
    const asked = {
      title: t("Remove {name} from {name2}?", { name, name2: group.name }),
      words,
      act: t("Remove"),
      onSure,
    };
    acts.push({
      label: t("Remove from {name}", { name: group.name }),
      danger: true,
      run: () => confirm(asked),
    });
  }
  if (
    !isOwner(group, id) &&
    may(group, me, "time_out") &&
    (!isPersonAdmin || may(group, me, "remove_admins"))
  ) {
    acts.push({ label: t("Time out…"), run: () => openTimeout(app, name, group, member) });
  }
  if (!isOwner(group, id) && may(group, me, "ban") && (!isPersonAdmin || may(group, me, "remove_admins"))) {
    acts.push({ label: t("Remove and ban…"), danger: true, run: () => openBan(app, person, group) });
  }
  return acts;
}

function button(/** @type {Act} */ { label, danger, run }, /** @type {() => void} */ close) {
  const onclick = () => {
    close();
    run();
  };
  const look = danger ? "button button-wide button-danger" : "button button-wide";
  return h("button", { class: look, type: "button", onclick }, label);
}
