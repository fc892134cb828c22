/**
 * What I can do about a group I am in, was in, or am invited to.
 *
 * Changes come back as events, to me as to everybody; only a group that I join is added to the snapshot here,
 * so that it can be opened at once.
 */

import { fill } from "../sync/store.js";
import { isTopicMuted, withListedTopics } from "../topics/topics.js";
import { t } from "../words/words.js";

/** @typedef {import("../sync/types.js").Group} Group */
/** @typedef {import("../sync/types.js").Member} Member */

/** How many messages are loaded with a group that appears. */
const FIRST_PAGE = 20;

/** The newest messages of a group that appears. */
export async function firstPage(
  /** @type {Pick<import("../sync/api.js").Api, "messages">} */ api,
  /** @type {string} */ groupId,
) {
  const messages = await api.messages(groupId, { limit: FIRST_PAGE });
  return { messages, complete: messages.length === 0 };
}

/** Why a group could not be handed over, by the status of the refusal. @type {Record<string, string>} */
const NOT_HANDED_OVER = {
  400: t("The group is yours already."),
  403: t("Only the owner can hand the group over."),
  404: t("This person is not in the group any more."),
};

/** Whether I am an admin; the owner counts as one. */
export function isAdmin(/** @type {Group} */ group, /** @type {string} */ me) {
  return isOwner(group, me) || Boolean(memberOf(group, me)?.roles?.includes("admin"));
}

export const isOwner = (/** @type {Group} */ group, /** @type {string} */ me) => group.creator_user_id === me;

export const memberOf = (/** @type {Group} */ group, /** @type {string} */ id) =>
  (group.members ?? []).find((member) => member.user_id === id);

/** The members whom a copy of the group can have: everybody else but guests. */
export const membersToCopy = (/** @type {Group} */ group, /** @type {string} */ me) =>
  (group.members ?? []).filter(({ user_id: id, kind }) => id !== me && kind !== "guest");

/** Whether I have muted the group, or the topic. */
export const isMuted = (/** @type {Group} */ group, /** @type {string} */ me) =>
  isTopicMuted(group, Date.now() / 1000) || Boolean(group.members ? memberOf(group, me)?.muted : group.muted);

/**
 * @param {{ api: import("../sync/api.js").Api, state: import("../sync/state.js").StateHolder }} parts
 */
export function createGroupActs({ api, state }) {
  /** Adds a group that I joined to the snapshot, with its newest messages. */
  async function enter(/** @type {Group} */ group) {
    const [page, topics] = await Promise.all([firstPage(api, group.id), api.topics(group.id)]);
    state.update((snapshot) => withListedTopics(fill(snapshot, group, page), topics));
    return group;
  }

  return {
    change: api.updateGroup,
    end: api.destroyGroup,
    archive: (/** @type {string} */ id, /** @type {boolean} */ on) =>
      on ? api.archiveGroup(id) : api.unarchiveGroup(id),
    /** Makes a copy of a group, and adds it to the snapshot. */
    async copy(/** @type {string} */ id, /** @type {import("./group_calls.js").CopyChoices} */ choices) {
      const group = await api.copyGroup(id, choices);
      // The copy is there even if its first page cannot be loaded: then its events bring it.
      return enter(group).catch(() => group);
    },
    former: api.formerGroups,
    rename: api.rename,
    liked: api.liked,
    mute: (/** @type {string} */ id, /** @type {boolean} */ on) => (on ? api.mute(id) : api.unmute(id)),
    bots: api.groupBots,
    removeBot: api.removeGroupBot,
    joinRequests: api.joinRequests,
    directory: api.directory,
    preview: api.preview,
    sentRequests: api.sentRequests,
    withdrawRequest: api.withdrawRequest,
    decideRequest: api.decideRequest,
    bans: api.bans,
    invites: api.invites,
    makeInvite: api.makeInvite,
    inviteByEmail: api.inviteByEmail,
    endInvite: api.endInvite,
    ban: api.ban,
    unban: api.unban,
    permissions: api.permissions,
    timeOut: api.timeOut,
    audit: api.audit,
    report: api.report,
    reportPerson: api.reportPerson,
    reportGroup: api.reportGroup,
    reports: api.reports,
    appeal: api.appeal,
    resolveReport: api.resolveReport,
    held: api.held,
    settleHeld: api.settleHeld,
    rules: api.rules,
    saveRule: api.saveRule,
    deleteRule: api.deleteRule,
    tryRules: api.tryRules,
    endTimeout: api.endTimeout,
    remove: (/** @type {string} */ id, /** @type {Member} */ member) => api.removeMember(id, member.id ?? ""),
    changeRole: (
      /** @type {string} */ id,
      /** @type {Member} */ member,
      /** @type {"admin" | "user"} */ role,
    ) => api.changeRole(id, member.id ?? "", role),

    async leave(/** @type {Group} */ group) {
      const own = memberOf(group, state.get().snapshot?.user.id ?? "");
      await api.removeMember(group.id, own?.id ?? "");
    },

    async handOver(/** @type {string} */ id, /** @type {string} */ to) {
      const status = await api.changeOwner(id, to);
      if (status !== "200")
        throw new Error(NOT_HANDED_OVER[status] ?? t("The group could not be handed over."));
    },

    /**
     * Joins by a link, or without one from the directory. Returns whether I am in; otherwise the owner or an admin
     * decides.
     */
    async join(/** @type {{ groupId: string, token?: string }} */ { groupId, token }, answer = "") {
      const { group, membership } = await api.joinGroup(groupId, token, answer);
      if (!membership) await enter(group);
      return !membership;
    },
    rejoin: async (/** @type {string} */ id) => enter(await api.rejoinGroup(id)),
  };
}

/** @typedef {ReturnType<typeof createGroupActs>} GroupActs */
