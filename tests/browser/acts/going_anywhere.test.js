/** The window that leads anywhere, and the keys that are told. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { becomes } from "../eventually.js";
import { World } from "../world.js";

test("the palette opens groups, people and actions", async (t) => {
  const world = await World.start(t);
  const [ana, ben] = await world.people("Ana", "Ben");
  await ana.hasGroup("Climbers", ben);
  await ana.hasGroup("Crème brûlée");
  await ana.inList("Crème").waitFor();
  const { keyboard } = ana.page;
  const goes = async (/** @type {string} */ letters) => {
    await keyboard.press("Control+k");
    await ana.page.getByRole("combobox", { name: "Go to" }).fill(letters);
    await keyboard.press("Enter");
  };
  await goes("climb");
  await ana.isReading("Climbers");
  await goes("creme");
  await ana.isReading("Crème brûlée");
  await goes("be");
  await ana.isReading("Ben");
  await goes("account");
  await ana.page.getByRole("region", { name: "Account", exact: true }).waitFor();
  await keyboard.press("Control+k");
  const box = ana.page.getByRole("combobox", { name: "Go to" });
  await box.fill("zzz");
  await ana.sees("Nothing was found.");
  await box.fill("c");
  const chosen = () => ana.page.getByRole("dialog").getByRole("option", { selected: true }).innerText();
  const first = await chosen();
  await keyboard.press("ArrowDown");
  await becomes(async () => (await chosen()) !== first, true);
  const said = await box.getAttribute("aria-activedescendant");
  assert.equal(
    said,
    await ana.page.getByRole("dialog").getByRole("option", { selected: true }).getAttribute("id"),
  );
  await keyboard.press("Escape");
  await box.waitFor({ state: "detached" });
});

test("a key shows the shortcuts, which switch conversations", async (t) => {
  const world = await World.start(t);
  const ana = await world.person("Ana");
  await ana.hasGroup("Climbers");
  await ana.says(await ana.hasGroup("Book club"), "chapter one");
  await ana.inList(/Book club.*chapter one/s).waitFor();
  const { keyboard } = ana.page;
  await keyboard.press("Alt+ArrowDown");
  await ana.isReading("Book club");
  await keyboard.press("Alt+ArrowDown");
  await ana.isReading("Climbers");
  await keyboard.press("Alt+ArrowUp");
  await ana.isReading("Book club");
  await ana.composer.fill("why?");
  await ana.inList("Book club").focus();
  await keyboard.press("?");
  await ana.page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
});

test("appearance settings apply at once and survive a reload", async (t) => {
  const world = await World.start(t);
  const ana = await world.person("Ana");
  await ana.visits("/#/account");
  const root = ana.page.locator("html");
  const says = (/** @type {string} */ what) => root.getAttribute(`data-${what}`);
  await becomes(() => says("scheme"), "light");
  await ana.page.emulateMedia({ colorScheme: "dark" });
  await becomes(() => says("scheme"), "dark");
  await ana.page.getByLabel("Colours").selectOption("Light");
  await becomes(() => says("scheme"), "light");
  await ana.page.getByLabel("Contrast").selectOption("High");
  await ana.page.getByLabel("Spacing").selectOption("Compact");
  await becomes(() => says("contrast"), "more");
  await ana.page.reload();
  await ana.isConnected();
  const looks = () => Promise.all(["scheme", "contrast", "density"].map(says));
  await becomes(looks, ["light", "more", "compact"]);
});

test("the client speaks the language that one chooses, dates included", async (t) => {
  const world = await World.start(t);
  const ana = await world.person("Ana");
  const climbers = await ana.hasGroup("Climbers");
  await ana.says(climbers, "rope at six");
  await ana.visits("/#/account");
  await ana.page.getByLabel("Language").selectOption("Deutsch");
  await ana.sees("Verbunden");
  await ana.sees("Passwort ändern");
  await becomes(() => ana.page.locator("html").getAttribute("lang"), "de");
  await ana.visits(`/#/groups/${climbers.id}`);
  await ana.reads("rope at six");
  await ana.sees("Heute");
  await ana.page.getByLabel("Nachricht an Climbers").waitFor();
});

test("text typed before the window loads is kept", async (t) => {
  const world = await World.start(t);
  const ana = await world.person("Ana");
  await ana.hasGroup("Climbers");
  await ana.page.evaluate(async () => {
    const worker = await navigator.serviceWorker?.ready;
    await worker?.unregister();
    await caches.delete("coterie.shell");
  });
  await ana.page.reload();
  await ana.inList("Climbers").waitFor();
  /** @type {() => void} */
  let comes = () => {};
  const written = new Promise((resolve) => {
    comes = () => resolve(null);
  });
  await ana.page.route(/all_windows\.js/, async (route) => {
    await written;
    await route.continue();
  });
  await ana.page.keyboard.press("Control+k");
  await ana.page.keyboard.type("climx");
  for (const key of ["Backspace", "Enter"]) await ana.page.keyboard.press(key);
  comes();
  await ana.isReading("Climbers");
});

test("the member panel stays open if there is room", async (t) => {
  const world = await World.start(t);
  const [ana, ben] = await world.people("Ana", "Ben");
  await ana.hasGroup("Climbers", ben);
  await ana.hasGroup("Book club");
  const panel = ana.page.getByRole("complementary", { name: "Details" });
  await ana.opens("Climbers");
  await ana.opensMembers();
  await panel.getByText("2 members").waitFor();
  await ana.opens("Book club");
  await panel.getByText("1 member", { exact: true }).waitFor();
  // A person who goes there wants to write, not to read a list.
  await becomes(() => ana.composer.evaluate((box) => box === document.activeElement), true);
  await ana.page.keyboard.press("Control+k");
  await ana.page.getByRole("combobox", { name: "Go to" }).fill("climb");
  await ana.page.keyboard.press("Enter");
  await ana.isReading("Climbers");
  await panel.getByText("2 members").waitFor();
  await panel.getByRole("link", { name: "Close details" }).click();
  await panel.waitFor({ state: "hidden" });
  await ana.opens("Book club");
  await panel.waitFor({ state: "hidden" });

  // Here they cover the conversation.
  await ana.page.setViewportSize({ width: 900, height: 800 });
  await ana.opensMembers();
  await ana.opens("Climbers");
  await panel.waitFor({ state: "hidden" });
});
