/**
 * What opening the client costs on the line: requests and bytes until the first conversation
 * shows, and how long that takes on a slow line. Requests are those of the page itself, as
 * Chromium counts them; what its service worker asks for by itself comes on top.
 */

import { becomes } from "./eventually.js";

/** @typedef {import("./world.js").World} World */
/** @typedef {import("playwright-core").Page} Page */

/** A slow line: 1.6 Mbit/s each way, 150 ms until an answer starts. */
const SLOW = { offline: false, latency: 150, downloadThroughput: 200_000, uploadThroughput: 200_000 };

/** Counts what a page asks the network for until a message of the conversation shows. */
async function counts(/** @type {Page} */ page, /** @type {() => Promise<unknown>} */ opens, isSlow = false) {
  const session = await page.context().newCDPSession(page);
  /** Those that went over the line. @type {Set<string>} */
  const asked = new Set();
  /** Those that a copy in the browser answered. @type {Set<string>} */
  const kept = new Set();
  let bytes = 0;
  session.on("Network.requestWillBeSent", ({ requestId, request }) => {
    if (request.url.startsWith("http")) asked.add(requestId);
  });
  session.on("Network.requestServedFromCache", ({ requestId }) => kept.add(requestId));
  session.on("Network.responseReceived", ({ requestId, response }) => {
    if (response.fromDiskCache || response.fromServiceWorker) kept.add(requestId);
  });
  session.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
    if (!kept.has(requestId)) bytes += encodedDataLength;
  });
  await session.send("Network.enable");
  if (isSlow) await session.send("Network.emulateNetworkConditions", SLOW);
  const started = performance.now();
  await opens();
  await page.locator(".line").first().waitFor();
  const took = performance.now() - started;
  await session.detach();
  return { requests: [...asked].filter((id) => !kept.has(id)).length, bytes, took };
}

/**
 * Somebody's first visit and the one after it, on a fast line and on a slow one.
 *
 * @returns {Promise<[what: string, figure: string][]>}
 */
export async function firstLoad(
  /** @type {World} */ world,
  /** @type {string} */ token,
  /** @type {string} */ group,
) {
  /** @type {[string, string][]} */
  const lines = [];
  for (const isSlow of [false, true]) {
    const context = await world.browser.newContext();
    await context.addInitScript((kept) => localStorage.setItem("coterie.token", kept), token);
    const page = await context.newPage();
    const line = isSlow ? "at 1.6 Mbit/s, 150 ms" : "unthrottled";
    const say = (
      /** @type {string} */ visit,
      /** @type {Awaited<ReturnType<typeof counts>>} */ { requests, bytes, took },
    ) =>
      lines.push([
        `to the first conversation, ${visit}, ${line}`,
        `${requests} requests, ${(bytes / 1024).toFixed(1)} KiB, ${took.toFixed(0)} ms by the watch`,
      ]);
    say("cold", await counts(page, () => page.goto(`${world.server.url}/#/groups/${group}`), isSlow));
    await page.evaluate(() => navigator.serviceWorker?.ready);
    // What is new is read, and that is said, before somebody comes back.
    await page.getByRole("log", { name: "Messages", exact: true }).press("End");
    const unread = async () => {
      const { groups } = await world.server.call("GET", "/v3/sync", { token });
      return groups.find((/** @type {any} */ one) => one.group.id === group).unread;
    };
    await becomes(unread, 0);
    say("warm", await counts(page, () => page.reload(), isSlow));
    await context.close();
  }
  return lines;
}
