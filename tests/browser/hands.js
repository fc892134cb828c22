/**
 * Ways to work with a page: a mouse, the keyboard alone, and fingers.
 *
 * Owns how each way presses, writes, ticks and selects. A hand uses nothing else: the keyboard reaches an
 * element by Tab and arrow keys or not at all, and fingers tap, rest and never hover.
 */

import assert from "node:assert/strict";
import { becomes, pressesAt, repeats } from "./eventually.js";

/** @typedef {import("playwright-core").Locator} Locator */
/** @typedef {import("playwright-core").Page} Page */
/** @typedef {(english: string, facts?: Record<string, string | number>) => string} Words */
/** @typedef {import("./person.js").Person} Person */
/** @typedef {{ x: number, y: number }} Place */

/** The pages of this client have fewer stops of the Tab key. */
const STOPS_MOST = 120;
/** Messages or items that arrow keys pass. */
const ARROWS_MOST = 60;

/** Works with a mouse; the other hands differ in what they override. */
export class Mouse {
  /** @param {Person} person @param {Words} say texts of the page in its language */
  constructor(person, say) {
    this.person = person;
    this.say = say;
  }

  get page() {
    return this.person.page;
  }

  /* Where things are. */

  /** An element by its role and its exact name, which is given in English. */
  the(
    /** @type {Parameters<Page["getByRole"]>[0]} */ role,
    /** @type {string} */ name,
    /** @type {Page | Locator} */ within = this.page,
  ) {
    return within.getByRole(role, { name: this.say(name), exact: true });
  }

  field(/** @type {string} */ label, /** @type {Page | Locator} */ within = this.page) {
    return within.getByLabel(this.say(label), { exact: true });
  }

  window(/** @type {string} */ title, /** @type {Record<string, string | number>} */ facts = {}) {
    return this.page.getByRole("dialog", { name: this.say(title, facts), exact: true });
  }

  panel(/** @type {string} */ title) {
    return this.the("complementary", title);
  }

  line(/** @type {string} */ text) {
    return this.person.line(text);
  }

  /** The field for messages to a conversation of this name. */
  composer(/** @type {string} */ name) {
    return this.page.getByRole("textbox", { name: this.say("Message to {name}", { name }), exact: true });
  }

  /* What a hand does. */

  async press(/** @type {Locator} */ node) {
    await node.click();
  }

  async write(/** @type {Locator} */ field, /** @type {string} */ text) {
    await field.fill(text);
  }

  async fills(
    /** @type {Record<string, string>} */ fields,
    /** @type {Page | Locator} */ within = this.page,
  ) {
    for (const [label, text] of Object.entries(fields)) await this.write(this.field(label, within), text);
  }

  async tick(/** @type {Locator} */ choice) {
    await choice.check();
  }

  async selects(/** @type {Locator} */ field, /** @type {string} */ label) {
    await field.selectOption({ label });
  }

  async marksAll(/** @type {Locator} */ field) {
    await field.selectText();
  }

  /** Formats everything in a field by a button of the bar. */
  async formats(/** @type {Locator} */ field, /** @type {string} */ way) {
    await this.press(this.the("button", "Formatting"));
    await this.marksAll(field);
    await this.press(this.the("button", way, this.the("toolbar", "Formatting")));
  }

  /** Confirms what was written, as the key or the button beside the field does. */
  async sends(/** @type {Locator} */ field) {
    await field.press("Enter");
  }

  /** Accepts what a list below a field offers. */
  async accepts(/** @type {Locator} */ _field, /** @type {Locator} */ option) {
    await this.press(option);
  }

  /** Presses the button of a form, unless the field before has done so. */
  async submits(/** @type {Locator} */ button) {
    await this.press(button);
  }

  /** Adds a message to those that are selected. */
  async selectsLine(/** @type {Locator} */ line) {
    await this.press(line);
  }

  /** A panel beside the conversation is closed; one that covers it does so by itself once it has made something. */
  async isInConversation(/** @type {string} */ panel) {
    await this.leavesPanel(panel);
  }

  async opensAccount() {
    await this.seesList();
    await this.press(this.the("link", "Account"));
    await this.the("region", "Profile").waitFor();
  }

  async leavesPanel(/** @type {string} */ title) {
    await this.press(this.panel(title).locator(".panel-head a[data-closes]:visible"));
    await this.panel(title).waitFor({ state: "hidden" });
  }

  /** Takes an action from the menu of a message. */
  async acts(/** @type {Locator} */ line, /** @type {string} */ action) {
    const menu = await this.opensMenu(line);
    const item = this.the("menuitem", action, menu).or(this.the("menuitemcheckbox", action, menu));
    await this.takes(menu, item);
    await menu.waitFor({ state: "detached" });
  }

  async opensMenu(/** @type {Locator} */ line) {
    await pressesAt(line, this.the("button", "More actions", line));
    return this.the("menu", "Message actions");
  }

  /** Takes an item from an open menu. */
  async takes(/** @type {Locator} */ _menu, /** @type {Locator} */ item) {
    await this.press(item);
  }

  /** Opens a tool of the conversation: by its button, or from the menu where there is no room for it. */
  async opensTool(/** @type {string} */ name, panel = name) {
    const tool = this.the("button", name, this.page.getByRole("main"));
    const more = this.the("button", "More", this.page.getByRole("main"));
    await this.press(tool.or(more).filter({ visible: true }).first());
    const menu = this.the("menu", "More");
    await menu.or(this.panel(panel)).first().waitFor();
    if (await menu.isVisible()) await this.takes(menu, this.the("menuitem", name, menu));
    await this.panel(panel).waitFor();
  }

  /** Comes to the list of conversations, which a phone shows by itself. */
  async seesList() {
    const back = this.the("link", "Back to all conversations").filter({ visible: true });
    const list = this.the("navigation", "Conversations");
    await back.or(list).filter({ visible: true }).first().waitFor();
    if (!(await list.isVisible())) await this.press(back);
    await list.waitFor();
  }

  async opens(/** @type {string} */ name) {
    await this.seesList();
    const rows = this.the("navigation", "Conversations").getByRole("link");
    await this.press(rows.filter({ hasText: name }).first());
    await this.page.getByRole("main").getByRole("heading", { name, exact: true }).waitFor();
  }

  /** What a hand finds after a task: nothing to check for most. */
  async isReady() {}

  /** Selects files in what a button opens. */
  async chooses(/** @type {Locator} */ button, /** @type {any[]} */ ...files) {
    const chooser = this.page.waitForEvent("filechooser");
    await this.press(button);
    await (await chooser).setFiles(files);
  }
}

/** Works with the keyboard alone. */
export class Keys extends Mouse {
  /** Brings the focus to an element by Tab, from where it is; fails if Tab never comes there. */
  async reaches(/** @type {Locator} */ node) {
    await node.waitFor();
    await this.#goes(node, wayTo, STOPS_MOST, "Tab key");
  }

  /**
   * Presses the keys that lead to an element until there is none. The element is found once, since looking for it
   * takes Firefox's driver ten times as long as asking it, and again if the page has drawn another one.
   */
  async #goes(
    /** @type {Locator} */ node,
    /** @type {(node: Element) => string} */ way,
    /** @type {number} */ most,
    /** @type {string} */ keys,
  ) {
    let found = await node.elementHandle();
    for (let pressed = 0; pressed < most; pressed += 1) {
      let key = await found?.evaluate(/** @type {any} */ (way));
      while (key === "gone") {
        found = await node.elementHandle();
        key = await found?.evaluate(/** @type {any} */ (way));
      }
      if (!key) return;
      await this.page.keyboard.press(key);
    }
    assert.fail(`the ${keys} never comes to ${node}`);
  }

  /** The focus is somewhere, so that Tab goes on from there. @override */
  async isReady() {
    await becomes(() => this.page.evaluate(() => document.activeElement !== document.body), true);
  }

  /** @override */
  async press(/** @type {Locator} */ node) {
    await this.reaches(node);
    await this.page.keyboard.press("Enter");
  }

  /** @override */
  async write(/** @type {Locator} */ field, /** @type {string} */ text) {
    await this.reaches(field);
    await this.page.keyboard.press("ControlOrMeta+A");
    await this.page.keyboard.type(text);
  }

  /** @override */
  async tick(/** @type {Locator} */ choice) {
    await choice.waitFor();
    const isRadio = (await choice.getAttribute("type")) === "radio";
    if (!isRadio) {
      await this.reaches(choice);
      await this.page.keyboard.press("Space");
      return;
    }
    // Tab comes to the chosen one of the group, or to the first; arrow keys choose the next.
    const name = await choice.getAttribute("name");
    const group = this.page.locator(`input[type=radio][name="${name}"]`);
    const chosen = group.and(this.page.locator(":checked"));
    const isChosen = (await chosen.count()) > 0;
    await this.reaches(isChosen ? chosen : group.first());
    const isHere = await choice.evaluate((node) => node === document.activeElement);
    await this.page.keyboard.press(isHere ? "Space" : "ArrowDown");
    await choice.and(this.page.locator(":focus")).and(this.page.locator(":checked")).waitFor();
  }

  /** @override */
  async selects(/** @type {Locator} */ field, /** @type {string} */ label) {
    await this.reaches(field);
    const chosen = () => field.evaluate((/** @type {any} */ node) => node.selectedOptions[0]?.label);
    for (let arrows = 0; (await chosen()) !== label; arrows += 1) {
      assert.ok(arrows < ARROWS_MOST, `the arrow keys never come to ${label}`);
      await this.page.keyboard.press("ArrowDown");
    }
  }

  /** @override */
  async marksAll(/** @type {Locator} */ field) {
    await this.reaches(field);
    await this.page.keyboard.press("ControlOrMeta+A");
  }

  /** @override */
  async leavesPanel(/** @type {string} */ title) {
    await this.page.keyboard.press("Escape");
    await this.panel(title).waitFor({ state: "hidden" });
  }

  /** The messages are one stop of the Tab key; arrows lead to others, and along the buttons of one. @override */
  async opensMenu(/** @type {Locator} */ line) {
    await line.waitFor();
    await this.reaches(this.page.locator(".timeline [data-control][tabindex='0']").last());
    await this.arrowsTo(line.locator("[data-control=more]"));
    await this.page.keyboard.press("Enter");
    return this.the("menu", "Message actions");
  }

  /** Goes from one button of a message to another one by arrow keys. */
  async arrowsTo(/** @type {Locator} */ button) {
    await this.#goes(button, wayInLines, ARROWS_MOST, "arrow key");
  }

  /** Enter accepts what is chosen, and arrow keys choose. @override */
  async accepts(/** @type {Locator} */ field, /** @type {Locator} */ option) {
    await this.reaches(field);
    for (let arrows = 0; arrows < ARROWS_MOST; arrows += 1) {
      if ((await option.getAttribute("aria-selected")) === "true") break;
      await this.page.keyboard.press("ArrowDown");
    }
    await this.page.keyboard.press("Enter");
  }

  /** Enter in the field before has done it. @override */
  async submits() {}

  /** @override */
  async selectsLine(/** @type {Locator} */ line) {
    await this.arrowsTo(line.locator(".line-check"));
    await this.page.keyboard.press("Space");
  }

  /** Arrow keys walk through a menu. @override */
  async takes(/** @type {Locator} */ menu, /** @type {Locator} */ item) {
    await menu.locator(":focus").waitFor();
    await this.#goes(item, wayInMenu, ARROWS_MOST, "arrow key");
    await this.page.keyboard.press("Enter");
  }
}

/** How long a finger rests until the client opens a menu is the client's; the finger leaves once it is open. */
export class Fingers extends Mouse {
  /** @type {import("playwright-core").CDPSession | null} */
  #devtools = null;

  /** @override */
  async press(/** @type {Locator} */ node) {
    await node.tap();
  }

  /** A finger comes down at a place of the page, and stays there. */
  async comesDown(/** @type {Place} */ at) {
    await this.#devtools?.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: [at] });
  }

  /** The finger leaves the page. */
  async goesUp() {
    await this.#devtools?.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
  }

  /** What the finger needs is there before it is told where to come down. */
  async getsReady() {
    this.#devtools ??= await this.page.context().newCDPSession(this.page);
  }

  /** @override */
  async write(/** @type {Locator} */ field, /** @type {string} */ text) {
    const isActive = () => field.evaluate((node) => node === document.activeElement);
    await repeats(() => this.press(field), isActive);
    await field.fill(text);
  }

  /** @override */
  async tick(/** @type {Locator} */ choice) {
    await this.press(choice);
    await becomes(() => choice.isChecked(), true);
  }

  /** @override */
  async marksAll(/** @type {Locator} */ field) {
    await this.press(field);
    await field.selectText();
  }

  /** The bar comes with the selection: a phone has no room for a button. @override */
  async formats(/** @type {Locator} */ field, /** @type {string} */ way) {
    await this.marksAll(field);
    await this.press(this.the("button", way, this.the("toolbar", "Formatting")));
  }

  /** On-screen keyboards have no key that sends everywhere. @override */
  async sends(/** @type {Locator} */ field) {
    const form = this.page.locator("form").filter({ has: field }).last();
    await this.press(form.locator("button[type=submit], .composer-send").filter({ visible: true }).last());
  }

  /** A panel covers the whole page of a phone. @override */
  async isInConversation(/** @type {string} */ panel) {
    await this.panel(panel).waitFor({ state: "hidden" });
  }

  /** The finger comes down on a message that rests. @override */
  async opensMenu(/** @type {Locator} */ line) {
    await this.getsReady();
    const bubble = line.locator(".bubble");
    const position = { x: 20, y: 12 };
    await bubble.click({ trial: true, position });
    const { left, top } = await bubble.evaluate((node) => node.getBoundingClientRect());
    await this.comesDown({ x: Math.round(left + position.x), y: Math.round(top + position.y) });
    const menu = this.the("menu", "Message actions");
    await menu.waitFor();
    await this.goesUp();
    return menu;
  }
}

/* The keys that lead to an element; empty once the focus is there, "gone" if the page has it no more. */

function wayTo(/** @type {Element} */ node) {
  const now = document.activeElement;
  if (!node.isConnected) return "gone";
  if (now === node) return "";
  if (!now || now === document.body) return "Tab";
  return node.compareDocumentPosition(now) & Node.DOCUMENT_POSITION_FOLLOWING ? "Shift+Tab" : "Tab";
}

/** From the focused button of a message to another one. */
function wayInLines(/** @type {Element} */ node) {
  const now = document.activeElement;
  if (!node.isConnected) return "gone";
  if (now === node) return "";
  if (!now?.closest(".line")) return "ArrowUp";
  const isBefore = node.compareDocumentPosition(now) & Node.DOCUMENT_POSITION_FOLLOWING;
  if (now.closest("li") === node.closest("li")) return isBefore ? "ArrowLeft" : "ArrowRight";
  return isBefore ? "ArrowUp" : "ArrowDown";
}

/** Down a menu, and along its reactions. */
function wayInMenu(/** @type {Element} */ node) {
  if (!node.isConnected) return "gone";
  if (document.activeElement === node) return "";
  return node.getAttribute("role") === "menuitemcheckbox" ? "ArrowRight" : "ArrowDown";
}
