/** Words with looks: code, quotes, lists and emphasis, by signs that people know. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { violations } from "../axe.js";
import { becomes } from "../eventually.js";
import { World } from "../world.js";

const WORDS = `**Bring** a *rope* and \`knots.md\`, <b>not</b> ~~tape~~:
- @Ben the [pegs](https://a.example/pegs)
- two slings
> who leads?
\`\`\`
climb --up *
\`\`\`
2*3*4 is 24`;

test("words are shown with the looks that their writer gave them", async (t) => {
  const world = await World.start(t);
  const [ana, ben] = await world.people("Ana", "Ben");
  const climbers = await ana.hasGroup("Climbers", ben);
  await ben.opens("Climbers");
  await ana.says(climbers, WORDS);
  const words = ben.page.locator(".line .words");
  await words.locator("ul > li", { hasText: "two slings" }).waitFor();
  const shown = async (/** @type {string} */ what) => words.locator(what).allTextContents();
  await becomes(() => shown("strong"), ["Bring"]);
  await becomes(() => shown("em"), ["rope"]);
  await becomes(() => shown("del"), ["tape"]);
  await becomes(() => shown("code"), ["knots.md", "climb --up *"]);
  await becomes(() => shown("blockquote"), ["who leads?"]);
  await becomes(() => shown('li > a[href="https://a.example/pegs"]'), ["pegs"]);
  await becomes(() => shown("b"), []);
  const row = ben.inList("Climbers").locator(".group-preview");
  await becomes(
    () => row.textContent(),
    /^Ana: Bring a rope and knots\.md, <b>not<\/b> tape: @Ben the pegs two/,
  );
  await becomes(() => words.textContent(), /<b>not<\/b>.*2\*3\*4 is 24$/s);
  assert.deepEqual(await violations(ben), []);
  if (process.env.PICTURES) await ben.page.screenshot({ path: `${process.env.PICTURES}/formatting.png` });
});

test("an edited message keeps its lines", async (t) => {
  const { ana, climbers } = await World.climbing(t);
  const { id } = await ana.says(climbers, "bring:\n- rope\n- chalk");
  await ana.opens("Climbers");
  const line = ana.lines.filter({ hasText: "chalk" });
  await ana.takes(line, "Edit");
  const field = ana.page.getByRole("dialog", { name: "Edit message" }).getByLabel("Message", { exact: true });
  await becomes(() => field.inputValue(), "bring:\n- rope\n- chalk");
  await field.press("Control+End");
  await field.press("Shift+Enter");
  await field.pressSequentially("- slings");
  await field.press("Enter");
  await ana.page.getByRole("dialog").waitFor({ state: "detached" });
  const texts = async () => {
    const { messages } = await ana.call("GET", `/v3/groups/${climbers.id}/messages`);
    return messages.find((/** @type {any} */ one) => one.id === id).text;
  };
  await becomes(texts, "bring:\n- rope\n- chalk\n- slings");
  await becomes(() => ana.page.locator(".words li").allTextContents(), ["rope", "chalk", "slings"]);
});

test("editing puts the cursor at the end", async (t) => {
  const { ana, climbers } = await World.climbing(t);
  await ana.says(climbers, "rope at six");
  await ana.opens("Climbers");
  const line = ana.line("rope at six");
  await ana.takes(line, "Edit");
  const window = ana.page.getByRole("dialog", { name: "Edit message" });
  await window.waitFor();
  await ana.page.keyboard.type(", and chalk");
  await becomes(() => window.getByLabel("Message", { exact: true }).inputValue(), "rope at six, and chalk");
  await ana.page.keyboard.press("Enter");
  await ana.reads("rope at six, and chalk");
});

test("a notice shows the words without the signs of their looks", async (t) => {
  const { world, ana, climbers } = await World.climbing(t);
  const context = ana.page.context();
  await context.grantPermissions(["notifications"]);
  await becomes(
    () => ana.page.evaluate(async () => Boolean((await navigator.serviceWorker.getRegistration())?.active)),
    true,
  );
  const session = await context.newCDPSession(ana.page);
  /** @type {Promise<string>} */
  const registered = new Promise((resolve) =>
    session.on("ServiceWorker.workerRegistrationUpdated", ({ registrations }) => {
      const own = registrations.find(({ scopeURL }) => scopeURL.startsWith(world.server.url));
      if (own) resolve(own.registrationId);
    }),
  );
  await session.send("ServiceWorker.enable");
  const registrationId = await registered;
  // Nobody looks at the page, and the worker knows.
  const elsewhere = await context.newPage();
  await ana.page.goto("about:blank");
  // The browser may still run workers of servers before this one.
  const isOwn = (/** @type {import("playwright-core").Worker} */ worker) =>
    worker.url().startsWith(world.server.url);
  const inWorker = async (/** @type {string} */ what) => context.serviceWorkers().find(isOwn)?.evaluate(what);
  await becomes(() => inWorker("clients.matchAll({ type: 'window' }).then(({ length }) => length)"), 0);
  // What the browser was asked to show, and did: to ask it which notices there are, while it
  // shows one, makes it forget that one.
  await inWorker(`(() => {
    const { registration } = self;
    const show = registration.showNotification.bind(registration);
    self.notices = [];
    registration.showNotification = async (title, options) => {
      await show(title, options);
      self.notices.push(options.tag + ", " + title + ": " + options.body);
    };
  })()`);
  const tells = (/** @type {object} */ notice) =>
    session.send("ServiceWorker.deliverPushMessage", {
      origin: world.server.url,
      registrationId,
      data: JSON.stringify(notice),
    });
  await tells({ title: "Climbers", body: "Ben: > **rope** at `six`", conversation: `g:${climbers.id}` });
  await tells({
    title: "Ben",
    body: "*see* snake_case: ~~no~~ [topo](https://a.example/x)",
    conversation: "d:1+2",
  });
  await becomes(
    async () => (await inWorker("self.notices"))?.sort(),
    ["d:1+2, Ben: see snake_case: no topo", `g:${climbers.id}, Climbers: Ben: rope at six`],
  );
  await elsewhere.close();
});
