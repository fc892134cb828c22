/**
 * What the user can do about a group: change its name and rules, copy it, mute it, leave it, archive it, delete it.
 *
 * Owns which of these are offered to whom. Transferring the group and removing members belong to `person.js`.
 */

import { homeHref } from "../app/route.js";
import { endArchive } from "../conversation/read_only_bar.js";
import { openNickname } from "../members/nickname.js";
import { openAuditLog } from "../moderation/audit_log.js";
import { openMostLiked } from "../reactions/most_liked.js";
import { reasonOf } from "../text/reason.js";
import { confirm } from "../ui/confirm.js";
import { h, setText } from "../ui/dom.js";
import { icon } from "../ui/icons.js";
import { pages } from "../ui/window.js";
import { t } from "../words/words.js";
import { openCopyGroup } from "./copy_group.js";
import { openEditGroup } from "./edit_group.js";
import { isMuted, isOwner, memberOf } from "./groups.js";
import { may } from "./permissions.js";
import { isArchived } from "./standstill.js";

/** @typedef {import("../sync/types.js").Group} Group */

/**
 * @param {import("../app/app.js").App} app
 * @param {HTMLElement[]} others further buttons, which stand after those for the name
 */
export function createGroupSettings(app, others) {
  /** @type {Group | null} */
  let shown = null;
  let me = "";

  const act = (
    /** @type {import("../ui/icons.js").IconName} */ sign,
    /** @type {string} */ label,
    /** @type {(group: Group) => unknown} */ run,
  ) => {
    const word = h("span", {}, label);
    const onclick = () => shown && run(shown);
    const node = h("button", { class: "button button-wide", type: "button", onclick }, icon(sign), word);
    return { node, word };
  };

  const edit = act("compose", t("Name and description"), (group) => openEditGroup(app, group));
  const called = act("person", t("Your name here"), (group) => openNickname(app, group));
  const audit = act("info", t("Audit log"), (group) => openAuditLog(app, group));
  const liked = act("heart", t("Most liked"), (group) => openMostLiked(app, group));
  const copy = act("copy", t("Copy this group…"), (group) => openCopyGroup(app, group));
  const mute = act("bell", t("Mute"), turnNotices);
  const stepDown = act("person", t("Step down as admin"), askToStepDown);
  const leave = act("leave", t("Leave group"), askToLeave);
  const archive = act("archive", t("Archive this group"), turnArchive);
  const end = act("end", t("Delete group"), askToEnd);
  end.node.classList.add("button-danger");
  const muteWords = h(
    "p",
    { class: "quiet" },
    t("You get no notifications of this group. You still see what is new."),
  );
  const ownerWords = h("p", { class: "quiet" }, t("To leave, hand the group over to another member first."));
  const node = h(
    "section",
    { class: "panel-section" },
    h("h3", {}, t("This group")),
    h(
      "div",
      { class: "panel-acts" },
      edit.node,
      ...others,
      called.node,
      liked.node,
      audit.node,
      copy.node,
      mute.node,
      stepDown.node,
      leave.node,
      archive.node,
      end.node,
    ),
    muteWords,
    ownerWords,
  );

  async function turnNotices(/** @type {Group} */ group) {
    try {
      await app.groups.mute(group.id, !isMuted(group, me));
    } catch (error) {
      app.complain(t("Nothing was changed. {it}", { it: reasonOf(error) }));
    }
  }

  function askToStepDown(/** @type {Group} */ group) {
    confirm({
      title: t("Step down as an admin of {name}?", { name: group.name }),
      words: t("Only the owner can make you an admin again."),
      act: t("Step down"),
      danger: false,
      async onSure() {
        const own = memberOf(group, me);
        if (own) await app.groups.changeRole(group.id, own, "user");
      },
    });
  }

  function askToLeave(/** @type {Group} */ group) {
    confirm({
      title: t("Leave {name}?", { name: group.name }),
      words: t("You will no longer see its messages. You can rejoin it under Groups you left."),
      act: t("Leave"),
      danger: false,
      async onSure() {
        await app.groups.leave(group);
        pages.replace(homeHref);
      },
    });
  }

  function turnArchive(/** @type {Group} */ group) {
    if (isArchived(group)) endArchive(app, group);
    else askToArchive(group);
  }

  function askToArchive(/** @type {Group} */ group) {
    confirm({
      title: t("Archive {name}?", { name: group.name }),
      words: t(
        "Members can still read and search it, under Archived. Nobody can write or change anything until you take it out of the archive.",
      ),
      act: t("Archive"),
      danger: false,
      onSure: () => app.groups.archive(group.id, true),
    });
  }

  function askToEnd(/** @type {Group} */ group) {
    confirm({
      title: t("Delete {name}?", { name: group.name }),
      words: t("The group and everything in it is deleted for all its members, for good."),
      act: t("Delete group"),
      async onSure() {
        await app.groups.end(group.id);
        pages.replace(homeHref);
      },
    });
  }

  return {
    node,
    show(/** @type {Group} */ group, /** @type {string} */ user) {
      shown = group;
      me = user;
      const isMine = isOwner(group, me);
      const muted = isMuted(group, me);
      edit.node.hidden = !may(group, me, "change_group");
      copy.node.hidden = !may(group, me, "copy");
      setText(mute.word, muted ? t("Unmute") : t("Mute"));
      muteWords.hidden = !muted;
      called.node.hidden = !may(group, me, "rename");
      archive.node.hidden = !may(group, me, "archive");
      setText(archive.word, isArchived(group) ? t("Take out of the archive") : t("Archive this group"));
      stepDown.node.hidden = !may(group, me, "step_down");
      leave.node.hidden = isMine;
      audit.node.hidden = !may(group, me, "read_audit");
      end.node.hidden = !may(group, me, "disband");
      ownerWords.hidden = !may(group, me, "hand_over");
    },
  };
}
