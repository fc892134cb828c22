/** What people do with bots, in words that several tests share. */

/** @typedef {import("./person.js").Person} Person */

export const URL_FIELD = "Callback URL (optional)";

export const botLink = (/** @type {Person} */ person, /** @type {string | RegExp} */ name) =>
  person.page.getByRole("region", { name: "Your bots" }).getByRole("link", { name });

export const heading = (/** @type {Person} */ person, /** @type {string} */ name) =>
  person.page.getByRole("main").getByRole("heading", { name, exact: true });

export async function opensTab(/** @type {Person} */ person, /** @type {string} */ tab) {
  await person.page.getByRole("navigation", { name: "Bot" }).getByRole("link", { name: tab }).click();
}

/** A group and a bot in it, made elsewhere. */
export async function hasBot(/** @type {Person} */ person, /** @type {object} */ facts = {}) {
  const group = await person.hasGroup("Climbers");
  const bot = await person.call("POST", "/v3/bots", { bot: { name: "Echo", group_id: group.id, ...facts } });
  return { group, bot };
}

export async function opensBot(/** @type {Person} */ person, name = "Echo") {
  await person.visits("/#/account/bots");
  await botLink(person, name).click();
  await heading(person, name).waitFor();
}
