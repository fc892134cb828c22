// A chat server as the documentation of socket.io shows it: who listens joins a room, who
// posts is answered when the message was emitted to it. Nothing is stored.
import { createServer } from "node:http";
import { Server } from "socket.io";
import { message } from "./message.mjs";

const http = createServer();
const io = new Server(http, { serveClient: false });

io.on("connection", (socket) => {
  socket.on("join", (room, answer) => {
    socket.join(room);
    answer();
  });
  socket.on("post", (room, posted, answer) => {
    io.to(room).emit("message", message(room, posted));
    answer();
  });
});

http.listen(0, "127.0.0.1", () => {
  console.log(`socket.io listening on http://127.0.0.1:${http.address().port}`);
});
process.stdin.resume().on("end", () => process.exit(0));
