/**
 * Someone with a browser page and, beside it, another device that speaks REST.
 *
 * Owns the words of the tests: each is one thing a person does or sees. People find
 * things as they do in life, by label and text, so a test that passes also says that
 * the page can be used without looking at it.
 */

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { pressesAt } from "./eventually.js";

/** What comes of a call that is made again for as long as the server says "not now". @template T */
async function answered(/** @type {() => Promise<T>} */ call) {
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (/** @type {any} */ (error).status !== 503) throw error;
    }
  }
}

export class Person {
  /** @type {string} */
  id = "";
  /** @type {string} */
  token = "";
  password = "rope and chalk";

  constructor(
    /** @type {import("./world.js").World} */ world,
    /** @type {import("playwright-core").Page} */ page,
    /** @type {{ name: string, email: string }} */ { name, email },
  ) {
    this.world = world;
    this.page = page;
    this.name = name;
    this.email = email;
  }

  /* On the page. */

  async visits(path = "/", address = this.world.server.url) {
    await this.enters(address + path);
  }

  /** Enters an address; again if the page was just then going back in its history, from a window that closed. */
  async enters(/** @type {string} */ url) {
    await this.page.goto(url).catch((error) => {
      if (!String(error).includes("net::ERR_ABORTED")) throw error;
      return this.page.goto(url);
    });
  }

  async isSignedIn() {
    await this.page.evaluate((token) => localStorage.setItem("coterie.token", token), this.token);
    await this.visits("/", new URL(this.page.url()).origin);
    await this.isConnected();
  }

  async isConnected() {
    await this.page.locator(".side").getByText("Connected").waitFor({ state: "attached" });
  }

  async fills(/** @type {Record<string, string>} */ fields) {
    for (const [label, text] of Object.entries(fields)) {
      await this.page.getByLabel(label, { exact: true }).fill(text);
    }
  }

  async presses(/** @type {string} */ name) {
    await this.page.getByRole("button", { name, exact: true }).click();
  }

  async logsIn({ email = this.email, password = this.password } = {}) {
    await this.fills({ Email: email, Password: password });
    await this.presses("Log in");
  }

  async registers(/** @type {Record<string, string>} */ other = {}) {
    await this.presses("Create an account");
    await this.fills({ "Your name": this.name, Email: this.email, Password: this.password, ...other });
    await this.presses("Create account");
  }

  async logsOut() {
    await this.presses("Log out");
  }

  /** Reads the text anywhere on the page. */
  async sees(/** @type {string | RegExp} */ text) {
    await this.page.getByText(text).filter({ visible: true }).first().waitFor();
  }

  async isTold(/** @type {string | RegExp} */ text) {
    await this.page.getByRole("alert").filter({ hasText: text }).waitFor();
  }

  async createsGroup(/** @type {string} */ name) {
    await this.page.getByRole("button", { name: "New group" }).first().click();
    await this.fills({ Name: name });
    await this.presses("Create group");
    await this.isReading(name);
  }

  /** The row of a group or chat: what it is called stands first in it. */
  inList(/** @type {string | RegExp} */ called) {
    const name = typeof called === "string" ? new RegExp(`^${called}`) : called;
    return this.page.getByRole("navigation", { name: "Conversations" }).getByRole("link", { name });
  }

  async opens(/** @type {string} */ group) {
    await this.inList(group).click();
    await this.isReading(group);
  }

  async isReading(/** @type {string} */ group) {
    await this.page.getByRole("main").getByRole("heading", { name: group, exact: true }).waitFor();
  }

  async opensMembers() {
    await this.page.getByRole("link", { name: "Details", exact: true }).click();
    await this.page.getByRole("complementary", { name: "Details" }).waitFor();
  }

  async adds(/** @type {Person} */ other, way = "Email", address = other.email) {
    const panel = this.page.getByRole("complementary", { name: "Details" });
    await panel.getByRole("button", { name: "Add someone" }).click();
    await this.page.getByRole("radio", { name: way }).check();
    await this.page.getByRole("textbox", { name: way, exact: true }).fill(address);
    await this.fills({ "Their name in this group": other.name });
    await this.presses("Add");
  }

  async opensPerson(/** @type {string} */ name) {
    const panel = this.page.getByRole("complementary", { name: "Details" });
    await panel.getByRole("button", { name, exact: true }).click();
    await this.page.getByRole("dialog", { name, exact: true }).waitFor();
  }

  /** Opens the chat with somebody from the members of a group. */
  async turnsTo(/** @type {Person} */ other, /** @type {string} */ group) {
    await this.opens(group);
    await this.opensMembers();
    await this.page.getByRole("link", { name: `Message ${other.name}`, exact: true }).click();
    await this.isReading(other.name);
  }

  /** Says yes to what the page asks once more. */
  async confirms(/** @type {string} */ act) {
    await this.page.getByRole("dialog").getByRole("button", { name: act, exact: true }).click();
    await this.page.getByRole("dialog").waitFor({ state: "detached" });
  }

  /** The chip with the hearts of a line. */
  heart(/** @type {string} */ text) {
    return this.line(text).getByRole("button", { name: /^❤️/ });
  }

  /** Gives a line a heart, or takes it back, by the menu. */
  async likes(/** @type {string} */ text) {
    await this.takes(this.line(text), "❤️");
  }

  /** The reactions to a line say this to those who listen. */
  async hears(/** @type {string} */ text, /** @type {string} */ reactions) {
    await this.line(text).getByRole("button", { name: reactions, exact: true }).waitFor();
  }

  /** Nobody has reacted to a line with a heart, now or soon. */
  async hearsNoHeart(/** @type {string} */ text) {
    await this.reads(text);
    await this.heart(text).waitFor({ state: "detached" });
  }

  /** Presses a button of the bar that a line has under the pointer. */
  async pressesAt(
    /** @type {import("playwright-core").Locator} */ line,
    /** @type {"React" | "Reply" | "More actions"} */ name,
  ) {
    await pressesAt(line, line.getByRole("button", { name, exact: true }));
  }

  /** Opens the menu of a line. */
  async opensMenu(/** @type {import("playwright-core").Locator} */ line) {
    await this.pressesAt(line, "More actions");
    const menu = this.page.getByRole("menu", { name: "Message actions" });
    await menu.waitFor();
    return menu;
  }

  /** Takes an action, or a quick reaction, from the menu of a line. */
  async takes(/** @type {import("playwright-core").Locator} */ line, /** @type {string} */ name) {
    const menu = await this.opensMenu(line);
    const action = menu.getByRole("menuitem", { name, exact: true });
    await action.or(menu.getByRole("menuitemcheckbox", { name, exact: true })).click();
    await menu.waitFor({ state: "detached" });
  }

  /** Whether the menu of a line has an action. */
  async mayTake(/** @type {import("playwright-core").Locator} */ line, /** @type {string} */ name) {
    const menu = await this.opensMenu(line);
    const found = await menu.getByRole("menuitem", { name, exact: true }).count();
    await this.page.keyboard.press("Escape");
    await menu.waitFor({ state: "detached" });
    return found > 0;
  }

  get composer() {
    return this.page.getByRole("textbox", { name: /^Message to/ });
  }

  async writes(/** @type {string} */ text) {
    await this.composer.fill(text);
    await this.composer.press("Enter");
  }

  /** Chooses files as people do: by pressing what opens the chooser. */
  async chooses(/** @type {{ name: string, mimeType: string, buffer: Buffer }[]} */ ...files) {
    const chooser = this.page.waitForEvent("filechooser");
    await this.presses("Add a picture or file");
    await (await chooser).setFiles(files);
  }

  get lines() {
    return this.page.locator(".timeline .line");
  }

  /** The one line of the open conversation that says this. */
  line(/** @type {string} */ text) {
    return this.lines.filter({ has: this.page.getByText(text, { exact: true }) });
  }

  async reads(/** @type {string} */ text) {
    await this.line(text).waitFor();
  }

  /** All lines of the open conversation, in order. @returns {Promise<string[]>} */
  texts() {
    return this.page.locator(".line .words").allTextContents();
  }

  /** The open conversation says exactly this, now or soon. */
  async hasRead(/** @type {string[]} */ ...texts) {
    const isThis = (/** @type {string} */ expected) => {
      const said = [...document.querySelectorAll(".line .words")].map((words) => words.textContent);
      return JSON.stringify(said) === expected;
    };
    await this.page.waitForFunction(isThis, JSON.stringify(texts)).catch(() => {});
    assert.deepEqual(await this.texts(), texts);
  }

  /** The line is stored: neither on its way nor failed. */
  async knowsItIsSent(/** @type {string} */ text) {
    await this.page.locator(".line.stored").getByText(text, { exact: true }).waitFor();
  }

  /* On another device. */

  call(/** @type {string} */ method, /** @type {string} */ path, /** @type {object} */ body = {}) {
    return this.world.server.call(method, path, {
      token: this.token,
      body: method === "GET" ? undefined : body,
    });
  }

  async hasAnAccount() {
    const { name, email, password } = this;
    const { user, access_token: token } = await answered(() =>
      this.world.server.call("POST", "/auth/register", { body: { name, email, password } }),
    );
    this.id = user.id;
    this.token = token;
  }

  /** A group with these people, made elsewhere. @returns {Promise<{ id: string, name: string }>} */
  async hasGroup(/** @type {string} */ name, /** @type {Person[]} */ ...others) {
    const group = await this.call("POST", "/v3/groups", { name });
    for (const other of others) await this.brings(other, group);
    return group;
  }

  /** A group of another person that this one has left. */
  async hasLeft(/** @type {string} */ name, /** @type {Person} */ owner) {
    const group = await owner.hasGroup(name);
    const { id } = await owner.brings(this, group);
    await this.call("POST", `/v3/groups/${group.id}/members/${id}/remove`);
  }

  async brings(/** @type {Person} */ other, /** @type {{ id: string }} */ group) {
    const members = [{ nickname: other.name, user_id: other.id }];
    const { results_id: results } = await this.call("POST", `/v3/groups/${group.id}/members/add`, {
      members,
    });
    const path = `/v3/groups/${group.id}/members/results/${results}`;
    return (await answered(() => this.call("GET", path))).members[0];
  }

  /** @returns {Promise<any>} the direct message as it was stored */
  async writesTo(/** @type {Person} */ other, /** @type {string} */ text) {
    const message = { source_guid: randomUUID(), recipient_id: other.id, text };
    return (await this.call("POST", "/v3/direct_messages", { direct_message: message })).message;
  }

  async says(/** @type {{ id: string }} */ group, /** @type {string} */ text) {
    const message = { source_guid: randomUUID(), text };
    return (await this.call("POST", `/v3/groups/${group.id}/messages`, { message })).message;
  }
}
