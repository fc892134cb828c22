/**
 * A slow way to the server, for finding acts that look before what they look for is there:
 * `SLOW_MS=800 npm test`. Every request reaches the server late, or its answer the page, each
 * by another time, so that they overtake one another. No test runs with it by itself.
 */

/** By how much at most, in milliseconds; 0: not at all. */
const SLOW_MS = Number(process.env.SLOW_MS ?? 0);

/** Answers that come while they are made cannot be held back as a whole. */
const STREAMS = /\/v3\/(events|push)/;

const late = () => new Promise((resolve) => setTimeout(resolve, Math.random() * SLOW_MS));

/** Whether only the request can be late: a browser trusts no page that a test gave it. */
function isOutward(/** @type {import("playwright-core").Request} */ request) {
  const { pathname } = new URL(request.url());
  const isBytes = /^(image|video|audio)\//.test(request.headers()["content-type"] ?? "");
  return !pathname.startsWith("/v3/") || isBytes || STREAMS.test(pathname);
}

/** An answer is fetched by the test, which would reach the server without a connection too. */
const isOnline = (/** @type {import("playwright-core").Request} */ request) =>
  request.frame().evaluate(() => navigator.onLine);

/** What the pages of this context ask for is slow, if it was asked for. */
export async function slows(/** @type {import("playwright-core").BrowserContext} */ context) {
  if (SLOW_MS === 0) return;
  // Firefox takes no answer from a test.
  const isFirefox = context.browser()?.browserType().name() === "firefox";
  await context.route("**/*", async (route) => {
    try {
      const request = route.request();
      if (isFirefox || isOutward(request) || Math.random() < 0.5 || !(await isOnline(request))) {
        await late();
        await route.continue();
      } else {
        const response = await route.fetch({ maxRedirects: 0 });
        await late();
        await route.fulfill({ response });
      }
    } catch {
      // The page is gone, or the server.
      await route.abort().catch(() => {});
    }
  });
}
