/** More conversations than fit into one snapshot: all of them are there. */

import { test } from "node:test";
import { becomes } from "../eventually.js";
import { World } from "../world.js";

/** The most groups and chats that an answer has here; the server's own limit is one of bytes. */
const MOST = 14;

/** From now on the server's snapshots are cut for this person; `asked` are the queries of the further ones. */
async function hasShortSnapshots(/** @type {import("../person.js").Person} */ person) {
  /** @type {string[]} */
  const asked = [];
  await person.page.route("**/v3/sync*", async (route) => {
    const { searchParams } = new URL(route.request().url());
    const answer = await route.fetch();
    const whole = await answer.json();
    for (const name of ["groups", "chats"]) {
      const list = whole.response[name];
      if (!list || list.length <= MOST) continue;
      whole.response[name] = list.slice(0, MOST);
      whole.response[`more_${name}`] = true;
    }
    if (searchParams.has("skip")) asked.push(searchParams.toString());
    await route.fulfill({ response: answer, json: whole });
  });
  return asked;
}

test("groups beyond the snapshot load later with unread counts", async (t) => {
  const world = await World.start(t, ["--rate-limit", "off"]);
  const [ana, ben] = await world.people("Ana", "Ben");
  /** @type {{ id: string, name: string }[]} */
  const groups = [];
  for (let at = 1; at <= 30; at += 1) groups.push(await ben.hasGroup(`Group ${at}`, ana));
  await ben.says(groups[0], "the first of all");
  // Thirty others are busier.
  for (const group of groups.slice(1)) await ben.says(group, "hello");
  const asked = await hasShortSnapshots(ana);
  await ana.visits(`/#/groups/${groups[0].id}`);
  await ana.page.reload();
  await ana.reads("the first of all");
  await becomes(
    async () => [...asked],
    ["parts=groups&skip=4", "parts=groups&skip=8", "parts=groups&skip=12", "parts=groups&skip=16"],
  );
  const finder = ana.page.getByRole("searchbox", { name: "Find a conversation" });
  await finder.fill("Group 2");
  await ana.inList(/^Group 2 .*hello.*Unread: 2/s).waitFor();

  // Each is live, and what is read in it is read at the server.
  await ben.says(groups[1], "second to none");
  await ana.inList(/^Group 2 .*second to none/s).click();
  await ana.reads("second to none");
  const unread = async () =>
    (await ana.call("GET", `/v3/groups?per_page=100`)).find(
      (/** @type {any} */ one) => one.id === groups[1].id,
    ).unread_count;
  await becomes(unread, 0);
});

test("chats that did not fit come too, and a page that fails is asked for again", async (t) => {
  const world = await World.start(t, ["--rate-limit", "off"]);
  const ana = await world.person("Ana");
  for (let at = 1; at <= 17; at += 1) {
    const name = `Friend ${at}`;
    const account = { name, email: `friend-${at}@example.org`, password: ana.password };
    const { access_token: token } = await world.server.call("POST", "/auth/register", { body: account });
    const message = { source_guid: `hello-${at}`, recipient_id: ana.id, text: `hello from ${at}` };
    await world.server.call("POST", "/v3/direct_messages", { token, body: { direct_message: message } });
  }
  const asked = await hasShortSnapshots(ana);
  await ana.page.route("**/v3/sync?parts*", (route) => route.abort(), { times: 1 });
  await ana.page.reload();
  await ana.inList(/^Friend 1 .*hello from 1/s).waitFor();
  await becomes(async () => asked.at(-1), "parts=chats&skip=4");
});
