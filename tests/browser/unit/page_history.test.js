/** The browser's history of the page, over a history that behaves like a browser's. */

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { createPageHistory } from "../../../static/js/app/page_history.js";

/** A page whose history is a list; traversals and timers run when the test says so. */
function pageAt(/** @type {string} */ hash) {
  /** @type {{ state: any, hash: string }[]} */
  const entries = [{ state: null, hash }];
  let at = 0;
  let ids = 0;
  /** @type {(() => void)[]} */
  const queue = [];
  /** The guards against traversals that lead nowhere. @type {(() => void)[]} */
  const guards = [];
  /** @type {Record<string, (() => void)[]>} */
  const listeners = { popstate: [], hashchange: [] };
  const fire = (/** @type {string} */ type) => {
    for (const run of listeners[type]) run();
  };
  const push = (/** @type {any} */ state, /** @type {string} */ to) => {
    entries.splice(at + 1);
    entries.push({ state, hash: to });
    at += 1;
  };
  const hashOf = (/** @type {string | undefined} */ url) =>
    url === undefined ? entries[at].hash : url.slice(Math.max(0, url.indexOf("#")));
  const page = {
    history: {
      get state() {
        return entries[at].state;
      },
      pushState: (/** @type {any} */ state, _ = "", /** @type {string | undefined} */ url = undefined) =>
        push(structuredClone(state), hashOf(url)),
      replaceState(/** @type {any} */ state, _ = "", /** @type {string | undefined} */ url = undefined) {
        entries[at] = { state: structuredClone(state), hash: hashOf(url) };
      },
      // As in Chromium, the request decides to which entry a traversal leads, and not its end.
      go(/** @type {number} */ by) {
        const to = at + by;
        queue.push(() => {
          if (!entries[to]) return;
          const before = entries[at].hash;
          at = to;
          fire("popstate");
          if (entries[at].hash !== before) fire("hashchange");
        });
      },
    },
    location: {
      get hash() {
        return entries[at].hash;
      },
    },
    addEventListener: (/** @type {string} */ type, /** @type {() => void} */ run) =>
      listeners[type].push(run),
    setTimeout: (/** @type {() => void} */ run, ms = 0) => (ms === 0 ? queue : guards).push(run),
  };
  const history = createPageHistory(/** @type {any} */ (page), () => `place-${ids++}`);
  const run = () => {
    for (let step = queue.shift(); step; step = queue.shift()) step();
  };
  run();
  return {
    history,
    run,
    /** Runs only the next step: a timer, or the end of a traversal. */
    step: () => queue.shift()?.(),
    /** Lets the time pass that is granted to traversals. */
    giveUp() {
      for (const guard of guards.splice(0)) guard();
    },
    /** Types an address while a traversal may be running; `between` happens between the two events of it. */
    types(/** @type {string} */ to, between = () => {}) {
      push(null, to);
      fire("popstate");
      between();
      fire("hashchange");
    },
    /** Follows a link without a window, as the browser does. */
    follows(/** @type {string} */ to) {
      this.types(to);
      run();
    },
    goes(/** @type {number} */ by) {
      page.history.go(by);
      run();
    },
    hash: () => entries[at].hash,
    at: () => at,
    count: () => entries.length,
  };
}

/** Opens a window; returns whether it is open and its way to close by itself. */
function openIn(/** @type {ReturnType<typeof pageAt>} */ page) {
  const it = { open: true, close: () => {} };
  it.close = page.history.opened(() => {
    it.open = false;
    it.close();
  });
  page.run();
  return it;
}

test("Back closes the topmost of several windows", () => {
  const page = pageAt("#/groups/1");
  const [low, high] = [openIn(page), openIn(page)];
  page.goes(-1);
  assert.deepEqual([low.open, high.open, page.at()], [true, false, 1]);
  page.goes(-1);
  assert.deepEqual([low.open, page.at()], [false, 0]);
});

test("a window that opens between the two events of a link stays open", () => {
  const page = pageAt("#/groups/1");
  let isOpen = true;
  page.types("#/groups/2", () => {
    page.history.opened(() => {
      isOpen = false;
    });
  });
  page.run();
  assert.deepEqual([isOpen, page.hash(), page.at()], [true, "#/groups/2", 2]);
  page.goes(-1);
  assert.deepEqual([isOpen, page.hash()], [false, "#/groups/2"]);
});

test("a window that closes removes its history entry", () => {
  const page = pageAt("#/groups/1");
  openIn(page).close();
  page.run();
  assert.equal(page.at(), 0);
});

test("a window that another one replaces at once keeps one entry", () => {
  const page = pageAt("#/groups/1");
  const first = openIn(page);
  first.close();
  const second = openIn(page);
  assert.deepEqual([page.at(), second.open], [1, true]);
  page.goes(-1);
  assert.deepEqual([page.at(), second.open], [0, false]);
});

test("a place that a window leads to comes after the place below the window", () => {
  const page = pageAt("#/groups/1");
  const one = openIn(page);
  const two = openIn(page);
  page.history.goTo("#/groups/2");
  page.run();
  assert.deepEqual([one.open, two.open, page.hash(), page.at()], [false, false, "#/groups/2", 1]);
  page.goes(-1);
  assert.equal(page.hash(), "#/groups/1");
});

test("a window opened right after a place was left belongs to the new place", () => {
  const page = pageAt("#/groups/1");
  openIn(page);
  page.history.goTo("#/groups/2");
  const late = openIn(page);
  assert.deepEqual([late.open, page.hash(), page.at()], [true, "#/groups/2", 2]);
});

test("closing a page goes back where it was opened, and replaces it elsewhere", () => {
  const page = pageAt("#/groups/1");
  page.follows("#/groups/1/members");
  page.history.close("#/groups/1");
  page.run();
  assert.deepEqual([page.hash(), page.at()], ["#/groups/1", 0]);
  page.follows("#/groups/2/members");
  page.history.close("#/groups/2");
  page.run();
  assert.deepEqual([page.hash(), page.at()], ["#/groups/2", 1]);
});

test("listeners get the place, and whether the user returned to it", () => {
  const page = pageAt("#/");
  /** @type {[string, string, boolean][]} */
  const seen = [];
  page.history.onPlace((hash, { place, isReturn }) => seen.push([hash, place, isReturn]));
  const first = page.history.visit().place;
  page.follows("#/groups/1");
  const second = page.history.visit().place;
  openIn(page);
  page.goes(-1);
  page.goes(-1);
  assert.deepEqual(seen, [
    ["#/groups/1", second, false],
    ["#/", first, true],
  ]);
});

test("Forward to the entry of a closed window returns to the place below it", () => {
  const page = pageAt("#/groups/1");
  openIn(page);
  page.goes(-1);
  page.goes(1);
  assert.equal(page.at(), 0);
});

test("an address typed while a closed window's entry is being left stays shown", () => {
  for (const late of [true, false]) {
    const page = pageAt("#/groups/1");
    /** @type {string[]} */
    const places = [];
    page.history.onPlace((hash) => places.push(hash));
    openIn(page).close();
    page.step();
    if (!late) page.step();
    page.types("#/account");
    page.run();
    assert.deepEqual([page.hash(), places, page.at()], ["#/account", ["#/account"], 1]);
    page.goes(-1);
    assert.equal(page.hash(), "#/groups/1");
  }
});

test("an address typed while a page is closing stays shown, with its windows", () => {
  const page = pageAt("#/groups/1");
  page.follows("#/groups/1/members");
  page.history.close("#/groups/1");
  page.types("#/account");
  const late = page.history.opened(() => assert.fail("the window closes"));
  page.run();
  assert.deepEqual([page.hash(), page.at()], ["#/account", 2]);
  late();
  page.run();
  assert.deepEqual([page.hash(), page.at()], ["#/account", 1]);
});

test("a traversal that takes too long leads to one place, whenever it ends", () => {
  const page = pageAt("#/groups/1");
  page.follows("#/groups/2");
  openIn(page).close();
  page.step();
  page.giveUp();
  page.run();
  assert.deepEqual([page.hash(), page.at()], ["#/groups/2", 1]);
  openIn(page);
  page.history.goTo("#/groups/3");
  page.giveUp();
  page.run();
  assert.equal(page.hash(), "#/groups/3");
});

test("random sequences keep the entries in line with the windows", () => {
  let seed = 7;
  const below = (/** @type {number} */ count) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((seed / 2_147_483_648) * count);
  };
  for (let round = 0; round < 200; round += 1) {
    const page = pageAt("#/groups/0");
    /** @type {ReturnType<typeof openIn>[]} */
    const windows = [];
    for (let step = 0; step < 20; step += 1) {
      const open = windows.filter((it) => it.open);
      const act = below(5);
      if (act === 0) windows.push(openIn(page));
      else if (act === 1 && open.length > 0) {
        const it = open[below(open.length)];
        it.open = false;
        it.close();
      } else if (act === 2) page.history.goTo(`#/groups/${below(4)}`);
      else if (act === 3) page.history.close(`#/groups/${below(4)}`);
      else if (page.at() > 0) page.goes(-1);
      page.run();
      // One more Back per open window leads to the same place without any window.
      const count = windows.filter((it) => it.open).length;
      assert.ok(page.at() >= count);
    }
    const hash = page.hash();
    const left = windows.filter((it) => it.open).length;
    for (let closed = 0; closed < left; closed += 1) page.goes(-1);
    assert.deepEqual([windows.some((it) => it.open), page.hash()], [false, hash]);
  }
});

test("every window of the client opens through the module that registers it", () => {
  const folder = new URL("../../../static/js/", import.meta.url);
  const files = readdirSync(folder, { recursive: true }).map(String);
  const uses = (/** @type {RegExp} */ what) =>
    files
      .filter((file) => file.endsWith(".js") && what.test(readFileSync(new URL(file, folder), "utf8")))
      .sort();
  assert.deepEqual(uses(/\.(showModal|showPopover)\(/), ["ui/window.js"]);
  const dialogs = ["files/pdf_window.js", "pictures/lightbox.js", "ui/dialog.js", "ui/menu_dialog.js"];
  assert.deepEqual(uses(/"dialog",/), dialogs);
  assert.deepEqual(uses(/(?<![.\w])openWindow\(/), [...dialogs, "ui/window.js"]);
  assert.deepEqual(uses(/location\.hash =|history\.(pushState|replaceState|back|go)\(/), [
    "app/page_history.js",
  ]);
});
