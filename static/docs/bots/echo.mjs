// An echo bot. Start it with the bot's id and secret: node echo.mjs BOT_ID whsec_...
import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";

const [BOT, SECRET, SERVER = "http://127.0.0.1:8080", PORT = "9000"] = process.argv.slice(2);
const KEY = Buffer.from(SECRET.replace("whsec_", ""), "base64");
process.on("unhandledRejection", console.error); // Without an answer, the server calls again.
createServer(async (request, answer) => {
  const body = (await request.setEncoding("utf8").toArray()).join("");
  const { "webhook-id": id, "webhook-timestamp": at, "webhook-signature": signatures = "" } = request.headers;
  const known = Buffer.from(`v1,${createHmac("sha256", KEY).update(`${id}.${at}.${body}`).digest("base64")}`);
  const given = signatures.split(" ").map((it) => Buffer.from(it));
  const isOurs = given.some((it) => it.length === known.length && timingSafeEqual(it, known));
  const { sender_type, text } = isOurs ? JSON.parse(body) : {};
  if (sender_type === "user" && text) {
    const say = JSON.stringify({ bot_id: BOT, text: `echo: ${text.slice(0, 990)}` });
    await fetch(`${SERVER}/v3/bots/post`, { method: "POST", headers: { "Idempotency-Key": id }, body: say });
  }
  answer.writeHead(isOurs ? 204 : 401).end();
}).listen(Number(PORT), "127.0.0.1");
