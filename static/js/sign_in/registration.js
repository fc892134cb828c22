/**
 * Who may create an account on the page for logging in: by what the server offers, and by the link with which
 * somebody came. Pure.
 */

/** @typedef {import("../groups/group_calls.js").Checked} CheckedLink the share link of a group */
/**
 * An operators' invitation, as the server was asked about it: a dead one makes no account, an unknown one could not
 * be checked.
 * @typedef {{ kind: "valid" } | { kind: "dead", status: number } | { kind: "unknown", why: string }} CheckedInvitation
 */
/** @typedef {"open" | "closed" | "domain" | "approval" | "invite"} RegistrationMode */
/** @typedef {{ registration: RegistrationMode, password?: string }} Offer what the server offers */
/**
 * The link with which somebody came; both are null without one, and while the server is asked about it.
 * @typedef {{ group: CheckedLink | null, account: CheckedInvitation | null }} Came
 */

/** Whether people log in with a password, and so create accounts here. */
export const takesPasswords = (/** @type {Offer} */ { password = "on" }) => password === "on";

/** Whether somebody without an account becomes a guest with the link of a group. */
export const isForGuests = (/** @type {Came} */ { group }) =>
  group?.kind === "valid" && group.invited.guest === true;

/** Whether operators invited them: the account is made at once, in every mode. */
export const isInvited = (/** @type {Came} */ { account }) => account?.kind === "valid";

/** Whether they may create an account. */
export function mayRegister(/** @type {Offer} */ offer, /** @type {Came} */ came) {
  if (!takesPasswords(offer)) return false;
  if (isInvited(came) || isForGuests(came)) return true;
  if (offer.registration === "invite") return came.group?.kind === "valid";
  return offer.registration !== "closed";
}

/** Whether only an invitation is missing for an account. */
export const needsInvitation = (/** @type {Offer} */ offer, /** @type {Came} */ came) =>
  offer.registration === "invite" && takesPasswords(offer) && !mayRegister(offer, came);

/** Whether the account waits until operators approve it. */
export const waitsForApproval = (/** @type {Offer} */ { registration }, /** @type {Came} */ came) =>
  registration === "approval" && !isInvited(came) && !isForGuests(came);

/**
 * The invitation that a registration names: the path of an operators' one, or of the link of a group where that
 * makes the account; "" for none.
 * @param {RegistrationMode | null} mode
 * @param {Came} came
 * @param {Pick<import("../sync/state.js").State, "invitation" | "accountInvitation">} links
 */
export function inviteOf(mode, came, { invitation, accountInvitation }) {
  if (accountInvitation) return `/invite/${accountInvitation}`;
  if (!invitation || !(mode === "invite" || isForGuests(came))) return "";
  return `/join_group/${invitation.groupId}/${invitation.token}`;
}
