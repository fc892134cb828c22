/**
 * Screens of moderation, administration, the account, a new server and every language, and what they show.
 */

import { LANGUAGES } from "../../static/js/words/words.js";

/** @typedef {import("playwright-core").Page} Page */
/** @typedef {import("./person.js").Person} Person */
/** @typedef {import("./screens.js").Screen} Screen */
/** @typedef {{ id: string, name: string }} Group */

/**
 * A group with everything that its owner decides: a request to join, invites, rules, a held message, a report, a ban
 * and a timeout. @returns {Promise<Group>}
 */
export async function moderated(
  /** @type {Record<"ana" | "ben" | "cleo" | "ema" | "yossi", Person>} */ people,
) {
  const { ana, ben, cleo, ema, yossi } = people;
  const club = await ana.hasGroup("Alpine club", ben);
  const memberships = [];
  for (const person of [cleo, yossi]) memberships.push(await ana.brings(person, club));
  const path = `/v3/groups/${club.id}`;
  await ana.call("POST", `${path}/update`, {
    share: true,
    requires_approval: true,
    show_join_question: true,
    join_question: { text: "Where do you climb?" },
  });
  const invite = (await ana.call("POST", `${path}/invites`, { name: "Poster at the wall", max_uses: 12 }))
    .invite;
  await ana.call("POST", `${path}/invites`, { name: "Course of May" });
  const token = new URL(invite.url ?? invite.share_url).pathname.split("/").at(-1);
  await ema.call("POST", `${path}/join/${token}`, { answer: { response: "At the quarry, mostly" } });
  const words = { name: "Sales", kind: "words", words: ["sell*", "auction"], action: "hold" };
  await ana.call("POST", `${path}/rules`, words);
  await ben.call("POST", `${path}/messages`, {
    message: { source_guid: "held", text: "I sell ropes, hardly used" },
  });
  const bad = await cleo.says(club, "Cheap shoes at https://shoes.example.org");
  const report = { reason: "spam", text: "The third time today" };
  await ben.call("POST", `/v3/conversations/${club.id}/messages/${bad.id}/report`, report);
  await ana.call("PUT", `${path}/members/${memberships[1].id}/timeout`, {
    seconds: 3600,
    reason: "To calm down",
  });
  return club;
}

const press = (/** @type {Page} */ page, /** @type {string} */ name) =>
  page.getByRole("button", { name, exact: true }).filter({ visible: true }).first().click();

/** A section of a page, at the upper edge. */
const section = (/** @type {string} */ name, /** @type {string} */ title) => ({
  name,
  async opens(/** @type {Page} */ page) {
    const heading = page.getByRole("heading", { name: title, exact: true }).filter({ visible: true }).first();
    await heading.waitFor();
    await heading.evaluate((node) => node.scrollIntoView({ block: "start" }));
  },
});

/** A window that a button of a page opens. */
const window = (/** @type {string} */ name, /** @type {string} */ button) => ({
  name: `window-${name}`,
  async opens(/** @type {Page} */ page) {
    await press(page, button);
    await page.locator(".dialog h2").waitFor();
  },
});

const at = (/** @type {string} */ hash, /** @type {Screen[]} */ ...screens) =>
  screens.map((screen) => ({ ...screen, hash }));

/** What the owner of a group sees. @returns {Screen[]} */
export function ownersScreens(/** @type {Group} */ club, /** @type {Group} */ empty) {
  const members = `#/groups/${club.id}/members`;
  return [
    ...at(`#/groups/${club.id}`, { name: "moderated" }),
    ...at(
      members,
      section("join-requests", "Requests to join"),
      section("held-messages", "Waiting for approval"),
      section("reports", "Reports"),
      section("share-link", "Share link"),
      section("invites", "Invites"),
      section("bans", "Banned and timed out"),
      section("rules", "Rules"),
      window("new-invite", "New invite…"),
      window("invite", "Show the invite Course of May"),
      window("new-rule", "Add a rule…"),
      window("try-rules", "Try a text…"),
      window("resolve-report", "Resolve the report about Cleo"),
      window("audit-log", "Audit log"),
      window("leave-group", "Delete group"),
    ),
    ...["pinned", "gallery", "polls", "events", "search"].flatMap((page) =>
      at(`#/groups/${empty.id}/${page}`, {
        name: `state-empty-${page}`,
        opens: (shown) => shown.locator(".panel h2").waitFor(),
      }),
    ),
  ];
}

/** The sections of the account. @returns {Screen[]} */
export const accountScreens = () => [
  ...at(
    "#/account",
    section("account-appearance", "Appearance"),
    section("account-privacy", "Privacy"),
    section("account-password", "Password"),
    section("account-two-factor", "Two-factor log-in"),
    section("account-passkeys", "Passkeys"),
    section("account-sso", "Single sign-on"),
    section("account-sessions", "Sessions"),
    section("account-tokens", "Your tokens"),
    section("account-delete", "Delete account"),
    window("new-token", "Make a token"),
  ),
];

const OPERATORS_PAGES = [
  "",
  "/people",
  "/requests",
  "/invitations",
  "/groups",
  "/directory",
  "/mail",
  "/settings",
  "/audit",
];

/** What operators see. @returns {Screen[]} */
export const operatorsScreens = () =>
  OPERATORS_PAGES.flatMap((part) =>
    at(`#/admin${part}`, {
      name: `admin${part.replace("/", "-")}`,
      opens: (page) => page.locator(".account-page").filter({ visible: true }).first().waitFor(),
    }),
  );

/** What a visitor without an account sees. @returns {Screen[]} */
export const visitorsScreens = () => [
  ...at("#/recover", { name: "recover", opens: (page) => page.locator("form, .alert").first().waitFor() }),
  ...at("#/recover/not-a-link", {
    name: "recover-link",
    opens: (page) => page.locator("form").first().waitFor(),
  }),
];

/** The languages but English and Arabic, which have pictures of their own. */
export const SAMPLED = LANGUAGES.map(({ value }) => value).filter(
  (value) => value !== "en" && value !== "ar",
);
