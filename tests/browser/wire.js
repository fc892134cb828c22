/**
 * The wire between a page and the server, with a hand on it.
 *
 * Owns changing frames on their way and saying what the server would say. For events
 * that nobody here can cause by themselves, and for accidents.
 */

/** @typedef {import("./person.js").Person} Person */
/** @typedef {import("playwright-core").WebSocketRoute} Socket */
/** @typedef {(frame: any) => object | null} Change null keeps the frame from arriving */

/** @type {Change} */
const unchanged = (frame) => frame;

/**
 * Loads the page again with a hand on its wire.
 * @param {Person} person
 * @param {{ fromPage?: Change, fromServer?: Change }} [changes]
 */
export async function holdWire(person, { fromPage = unchanged, fromServer = unchanged } = {}) {
  /** @type {Socket | null} */
  let page = null;
  // The server does not count what was said by hand.
  let said = 0;
  const pass =
    (/** @type {Change} */ change, /** @type {Socket} */ to) => (/** @type {string | Buffer} */ text) => {
      const frame = change(JSON.parse(String(text)));
      if (frame) to.send(JSON.stringify(frame));
    };
  await person.page.routeWebSocket(/\/v3\/push$/, (socket) => {
    const server = socket.connectToServer();
    page = socket;
    socket.onMessage(pass(fromPage, server));
    server.onMessage(pass(fromServer, socket));
  });
  await person.page.reload();
  await person.isConnected();

  return {
    /** Says what the server would say next about this group. */
    async says(/** @type {{ id: string }} */ group, /** @type {string} */ type, /** @type {object} */ data) {
      const { c, groups } = await person.call("GET", "/v3/sync");
      const known = groups.find((/** @type {any} */ one) => one.group.id === group.id);
      said += 1;
      const event = { t: "ev", c, conv: `g:${group.id}`, n: known.n + said, type, at: Date.now(), data };
      page?.send(JSON.stringify(event));
    },
  };
}
