// A chat server as the documentation of Faye shows it: who listens subscribes to a channel,
// who publishes is answered when the message was handed to its subscribers. Nothing is stored
// beyond that.
import { createServer } from "node:http";
import faye from "faye";
import { message } from "./message.mjs";

const http = createServer();
const bayeux = new faye.NodeAdapter({ mount: "/faye", timeout: 45 });

bayeux.addExtension({
  incoming(published, next) {
    if (!published.channel.startsWith("/meta/")) {
      published.data = message(published.channel, published.data);
    }
    next(published);
  },
});
bayeux.attach(http);

http.listen(0, "127.0.0.1", () => {
  console.log(`faye listening on http://127.0.0.1:${http.address().port}`);
});
process.stdin.resume().on("end", () => process.exit(0));
