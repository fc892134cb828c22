// An echo bot that nobody has to call. Start it with the bot's id and secret: node pull.mjs BOT_ID whsec_...
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";

const [BOT, SECRET, SERVER = "http://127.0.0.1:8080", PLACE = "pull.place"] = process.argv.slice(2);
let [after, work] = [existsSync(PLACE) ? readFileSync(PLACE, "utf8") : undefined, Promise.resolve()];
const isBusy = ({ status }) => status >= 500 || status === 429; // Sent again; by its key, posted once.
async function echo({ id, text }) {
  const body = JSON.stringify({ bot_id: BOT, text: `echo: ${text.slice(0, 990)}` });
  const post = { method: "POST", headers: { "Idempotency-Key": id }, body };
  while (await fetch(`${SERVER}/v3/bots/post`, post).then(isBusy, () => true)) await pause(1000);
}
async function hear(socket, { t, c, data }) {
  if (t === "ping") socket.send(JSON.stringify({ t: "pong" }));
  if (t === "ev" && data.sender_type === "user" && data.text) await echo(data);
  after = data?.id ?? after ?? c;
  writeFileSync(`${PLACE}.new`, after);
  renameSync(`${PLACE}.new`, PLACE); // Killed at any moment, it still has a place.
}
(function listen() {
  const socket = new WebSocket(`${SERVER.replace("http", "ws")}/v3/push`);
  socket.onopen = () => socket.send(JSON.stringify({ t: "hello", v: 1, bot_id: BOT, secret: SECRET, after }));
  socket.onmessage = ({ data }) => (work = work.then(() => hear(socket, JSON.parse(data))));
  socket.onclose = ({ code }) => (code === 4401 ? process.exit(1) : setTimeout(listen, 1000));
})();
