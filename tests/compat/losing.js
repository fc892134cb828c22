/**
 * A wire that loses things: a proxy in front of a server, which cuts a connection instead
 * of passing on what it is told to lose. Knows nothing of any protocol.
 */

import net from "node:net";

/** Opens one. `loses(words)`: the next thing from the server with these words in it. */
export async function losing(t, server) {
  const lost = [];
  let words = null;
  const open = new Set();
  const proxy = net.createServer((near) => {
    const { hostname, port } = new URL(server.url);
    const far = net.connect(Number(port), hostname);
    const cut = () => [near, far].forEach((end) => end.destroy());
    for (const end of [near, far]) {
      open.add(end);
      end.on("error", cut);
      end.on("close", () => {
        open.delete(end);
        cut();
      });
    }
    near.on("data", (bytes) => far.write(bytes));
    far.on("data", (bytes) => {
      if (words === null || !bytes.includes(words)) {
        near.write(bytes);
        return;
      }
      lost.push(words);
      words = null;
      cut();
    });
  });
  await new Promise((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    proxy.close();
    for (const end of open) end.destroy();
  });
  return {
    url: `http://127.0.0.1:${proxy.address().port}`,
    lost,
    loses: (wanted) => {
      words = wanted;
    },
  };
}
