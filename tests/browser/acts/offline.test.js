/** Without a network: the client opens, shows what it kept, and sends later what is written. */

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test } from "node:test";
import { becomes } from "../eventually.js";
import { PATIENCE_MS, World } from "../world.js";

/** @typedef {import("../person.js").Person} Person */

/** Asks the page until it says yes; Playwright's own waiting takes a promise for a yes. */
async function waits(
  /** @type {Person} */ person,
  /** @type {(wanted: string) => Promise<boolean>} */ isSo,
  wanted = "",
) {
  const end = Date.now() + PATIENCE_MS;
  while (!(await person.page.evaluate(isSo, wanted))) {
    assert.ok(Date.now() < end, `never came to be: ${isSo} ${wanted}`);
    await person.page.evaluate(() => new Promise(requestAnimationFrame));
  }
}

/** Waits until this device keeps the client, and all messages with these texts, and none of `without`. */
async function keeps(
  /** @type {Person} */ person,
  /** @type {string[]} */ texts,
  /** @type {string[]} */ without = [],
) {
  await waits(
    person,
    async (wanted) => {
      const worker = await navigator.serviceWorker.getRegistration();
      const shell = await caches.open("coterie.shell");
      if (worker?.active?.state !== "activated" || !(await shell.match("/"))) return false;
      // Opening what is not there would make it.
      if (!(await indexedDB.databases()).some(({ name }) => name === "coterie")) return false;
      /** @type {IDBDatabase} */
      const db = await new Promise((resolve) => {
        const asked = indexedDB.open("coterie");
        asked.onsuccess = () => resolve(asked.result);
      });
      /** @type {any[]} */
      const rows = await new Promise((resolve) => {
        const asked = db.transaction("conversations").objectStore("conversations").getAll();
        asked.onsuccess = () => resolve(asked.result);
      });
      db.close();
      const kept = rows.flatMap(({ messages }) => messages.map((/** @type {any} */ { text }) => text));
      const { texts, without } = JSON.parse(wanted);
      const has = (/** @type {string} */ text) => kept.includes(text);
      return texts.every(has) && !without.some(has);
    },
    JSON.stringify({ texts, without }),
  );
}

/** The names of everything of ours that the browser keeps. */
const remains = (/** @type {Person} */ person) =>
  person.page.evaluate(async () => {
    /** @type {IDBDatabase} */
    const db = await new Promise((resolve) => {
      const asked = indexedDB.open("coterie");
      asked.onsuccess = () => resolve(asked.result);
    });
    const stores = db.transaction(["conversations", "owner"]);
    const counts = ["conversations", "owner"].map(
      (name) =>
        new Promise((resolve) => {
          const asked = stores.objectStore(name).count();
          asked.onsuccess = () => resolve(asked.result);
        }),
    );
    const rows = await Promise.all(counts);
    db.close();
    return { rows, caches: await caches.keys(), keys: Object.keys(localStorage) };
  });

test("a device that goes offline does not say Connected", async (t) => {
  const { ana, ben, climbers } = await World.climbing(t);
  await ben.says(climbers, "rope at six");
  await ana.opens("Climbers");
  await ana.hasRead("rope at six");
  // The windows are a part of the client that this device has to keep before it goes offline.
  await keeps(ana, ["rope at six"]);
  const status = ana.page.locator(".side .connection");
  await ana.page.context().setOffline(true);
  await becomes(() => status.innerText(), "Offline. Reconnecting…");
  await ana.writes("into the dark");
  await ana.sees("Waiting. It will be sent automatically.");
  await becomes(() => status.innerText(), "Offline. Reconnecting…");
  await ana.page.keyboard.press("Control+k");
  await ana.page.getByRole("combobox", { name: "Go to" }).fill("rope");
  const dialog = ana.page.getByRole("dialog");
  await dialog.getByText("No connection: only messages on this device were searched.").waitFor();
  await dialog.getByRole("option", { name: /rope at six/ }).waitFor();
  await ana.page.keyboard.press("Escape");
  await ana.page.context().setOffline(false);
  await ana.isConnected();
  await ana.knowsItIsSent("into the dark");
});

test("a request without an answer ends Connected until the next frame", async (t) => {
  const { ana } = await World.climbing(t);
  await ana.opens("Climbers");
  await ana.page.evaluate(() => {
    const seen = /** @type {(string | null)[]} */ ([]);
    const status = /** @type {Element} */ (document.querySelector(".side .connection"));
    new MutationObserver(() => seen.push(status.textContent)).observe(status, {
      subtree: true,
      characterData: true,
      childList: true,
    });
    Object.assign(globalThis, { seen });
  });
  await ana.page.route("**/messages", (route) => route.abort());
  await ana.writes("into the dark");
  const seen = () => ana.page.evaluate(() => /** @type {any} */ (globalThis).seen.join());
  await becomes(seen, /Offline\. Reconnecting….*Connected/);
});

test("the offline page opens, shows stored messages and sends once", async (t) => {
  const { world, ana, ben, climbers } = await World.climbing(t);
  await ben.says(climbers, "rope at six");
  await ben.writesTo(ana, "bring chalk");
  await ben.opens("Climbers");
  await ana.opens("Climbers");
  await ana.hasRead("rope at six");
  await keeps(ana, ["rope at six", "bring chalk"]);
  await world.server.isKilled();

  await ana.page.reload();
  await ana.hasRead("rope at six");
  await ana.sees(/^Offline\. Reconnecting… You see the messages stored on this device/);
  await ana.writes("into the dark");
  await ana.sees("Waiting. It will be sent automatically.");
  await ana.page.reload();
  await ana.hasRead("rope at six", "into the dark");
  await ana.opens("Ben");
  await ana.hasRead("bring chalk");
  await ana.writes("chalk is packed");

  await world.server.starts();
  await ana.isConnected();
  await ben.hasRead("rope at six", "into the dark");
  await ana.knowsItIsSent("chalk is packed");
  await ana.opens("Climbers");
  await ana.knowsItIsSent("into the dark");
  await ana.hasRead("rope at six", "into the dark");
  const { messages } = await ben.call("GET", `/v3/groups/${climbers.id}/messages`);
  assert.equal(messages.filter((/** @type {any} */ { text }) => text === "into the dark").length, 1);
});

test("deleted messages and left groups leave the offline copy", async (t) => {
  const world = await World.start(t);
  const [ana, ben] = await world.people("Ana", "Ben");
  const climbers = await ben.hasGroup("Climbers", ana);
  const book = await ben.hasGroup("Book club", ana);
  const said = await ben.says(climbers, "a secret");
  await ben.says(book, "chapter one");
  await ana.inList(/Book club.*chapter one/s).waitFor();
  await keeps(ana, ["a secret", "chapter one"]);
  await world.server.isKilled();
  await ana.page.reload();
  await ana.opens("Climbers");
  await ana.hasRead("a secret");

  await world.server.starts();
  await ben.call("DELETE", `/v3/conversations/${climbers.id}/messages/${said.id}`);
  await ben.call("POST", `/v3/groups/${book.id}/destroy`);
  await ana.isConnected();
  await ana.inList("Book club").waitFor({ state: "detached" });
  await ana.sees("This message was deleted");
  await ana.line("a secret").waitFor({ state: "detached" });
  await ben.says(climbers, "nothing here");
  await keeps(ana, ["nothing here"], ["a secret", "chapter one"]);
});

test("a log-out removes everything from the device", async (t) => {
  const world = await World.start(t);
  const [ana, ben] = await world.people("Ana", "Ben");
  const climbers = await ben.hasGroup("Climbers", ana);
  await ben.says(climbers, "rope at six");
  await keeps(ana, ["rope at six"]);
  await ana.logsOut();
  await ana.page.getByRole("heading", { name: "Log in" }).waitFor();
  await waits(ana, async () => (await caches.keys()).length === 0);
  await ana.page.reload();
  // The token is kept until the server has revoked it.
  await becomes(
    async () => {
      const { rows, caches: names, keys } = await remains(ana);
      return { rows, names, keys };
    },
    { rows: [0, 0], names: [], keys: [] },
  );

  // Somebody else, whose log-in did not come through this page.
  const cleo = await world.person("Cleo");
  await ana.logsIn();
  await keeps(ana, ["rope at six"]);
  await ana.page.evaluate((token) => localStorage.setItem("coterie.token", token), cleo.token);
  await ana.page.reload();
  await ana.isConnected();
  await keeps(ana, [], ["rope at six"]);
});

/**
 * In the place of the server stands one with a later version of the client, once its page is
 * `given`.
 */
async function becomesLater(
  /** @type {import("node:test").TestContext} */ t,
  /** @type {World} */ world,
  given = Promise.resolve(),
) {
  const worker = await (await fetch(`${world.server.url}/sw.js`)).text();
  await world.server.isKilled();
  const { port } = new URL(world.server.url);
  const page = `<title>Later</title><body><script src="/assets/later/client.js"></script>`;
  let loads = 0;
  const later = createServer(async ({ url }, answer) => {
    const isScript = url === "/assets/later/client.js";
    answer.setHeader("Content-Type", url === "/" ? "text/html" : "text/javascript");
    if (url === "/") loads += 1;
    if (url === "/") await given;
    if (url?.startsWith("/v3/")) answer.statusCode = 503;
    if (url === "/sw.js") answer.end(worker);
    else answer.end(isScript ? `document.body.append("the later version")` : page);
  });
  const ends = () => {
    later.closeAllConnections();
    later.close();
  };
  t.after(ends);
  await new Promise((resolve) => later.listen(Number(port), "127.0.0.1", () => resolve(null)));
  return { ends, isLoadedAgain: async () => loads > 1 };
}

/** Waits until this device keeps the later version and nothing else. */
const keepsLater = (/** @type {Person} */ person) =>
  waits(person, async () => {
    const kept = await (await caches.open("coterie.shell")).keys();
    const names = kept.map(({ url }) => new URL(url).pathname);
    return names.sort().join() === "/,/assets/later/client.js";
  });

test("a new client version replaces the old one at the first load", async (t) => {
  const world = await World.start(t);
  const ana = await world.person("Ana");
  const climbers = await ana.hasGroup("Climbers");
  await ana.says(climbers, "rope at six");
  await keeps(ana, ["rope at six"]);
  const later = await becomesLater(t, world);
  await ana.page.reload();
  // A look through Playwright counts as somebody who has begun to do something.
  await becomes(later.isLoadedAgain, true, "the page loads the later version by itself");
  await ana.sees("the later version");
  await keepsLater(ana);
  later.ends();
  await ana.page.reload();
  await ana.sees("the later version");
});

test("a new version does not interrupt an action", async (t) => {
  const world = await World.start(t);
  const ana = await world.person("Ana");
  const climbers = await ana.hasGroup("Climbers");
  await ana.says(climbers, "rope at six");
  await keeps(ana, ["rope at six"]);
  /** @type {(page: void) => void} */
  let give = () => {};
  await becomesLater(t, world, new Promise((resolve) => (give = resolve)));
  await ana.page.reload();
  await ana.inList("Climbers").click();
  give();
  await keepsLater(ana);
  await ana.inList("Climbers").waitFor();
  await ana.page.reload();
  await ana.sees("the later version");
});

test("the page that is kept runs nothing that is not from here", async (t) => {
  const world = await World.start(t);
  const ana = await world.person("Ana");
  const climbers = await ana.hasGroup("Climbers");
  await ana.says(climbers, "rope at six");
  await keeps(ana, ["rope at six"]);
  await world.server.isKilled();
  await ana.page.reload();
  await ana.inList("Climbers").waitFor();
  const policy = await ana.page.evaluate(async () => {
    const page = await caches.match("/");
    return page?.headers.get("Content-Security-Policy") ?? "";
  });
  assert.match(policy, /default-src 'self'/);
});
