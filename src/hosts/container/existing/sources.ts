// Helper programs that connect this machine with a container that has no directory in common with this machine. They use
// the engine's API themselves, so that they can run without Halyard. Their counterparts run in the container.

/** The source of `openExec`, which starts a program in a container and connects to its standard streams. */
const execSource = `
import { request } from "node:http";
function call(engine, path, body, headers) {
  return new Promise((resolve, reject) => {
    const options = { ...engine, agent: false, method: "POST", path: "/v1.41" + path };
    const sent = request({ ...options, headers: { host: "engine", "content-type": "application/json", ...headers } });
    sent.once("upgrade", (_, socket, head) => resolve({ socket, head }));
    sent.once("response", async (answer) => {
      const text = Buffer.concat(await answer.toArray()).toString();
      if (answer.statusCode < 400) resolve(text);
      else reject(new Error(text.trim()));
    });
    sent.once("error", reject);
    sent.end(JSON.stringify(body));
  });
}
async function openExec({ engine, container, exec }, onOutput) {
  const streams = { AttachStdin: true, AttachStdout: true, AttachStderr: true };
  const created = await call(engine, "/containers/" + encodeURIComponent(container) + "/exec", { ...streams, ...exec });
  const { Id: id } = JSON.parse(created);
  const start = { Detach: false, Tty: false };
  const { socket, head } = await call(engine, "/exec/" + id + "/start", start, { connection: "Upgrade", upgrade: "tcp" });
  let rest = head;
  const take = (bytes) => {
    rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
    while (rest.length >= 8 && rest.length >= 8 + rest.readUInt32BE(4)) {
      const end = 8 + rest.readUInt32BE(4);
      onOutput(rest[0], rest.subarray(8, end));
      rest = rest.subarray(end);
    }
  };
  socket.on("data", take);
  take(Buffer.alloc(0));
  return { id, socket };
}
`;

/**
 * The source of `createMux`, which multiplexes streams over one connection, and of `join`, which connects two streams. A
 * frame contains a stream number, a kind (data, end, reset), a length and the data.
 */
const muxSource = `
function createMux(write, onOpen) {
  const streams = new Map();
  let rest = Buffer.alloc(0);
  const frame = (id, kind, bytes = Buffer.alloc(0)) => {
    if (!streams.has(id)) return; // the other side has already closed the stream
    const head = Buffer.alloc(9);
    head.writeUInt32BE(id, 0);
    head[4] = kind;
    head.writeUInt32BE(bytes.length, 5);
    write(Buffer.concat([head, bytes]));
  };
  const open = (id) => {
    const stream = new Duplex({
      read() {},
      write(bytes, _, done) { frame(id, 0, bytes); done(); },
      final(done) { frame(id, 1); done(); },
      destroy(error, done) { frame(id, 2); streams.delete(id); done(error); },
    });
    stream.on("error", () => {});
    streams.set(id, stream);
    return stream;
  };
  const take = (id, kind, bytes) => {
    const known = streams.get(id);
    if (!known && (kind !== 0 || !onOpen)) return;
    const stream = known ?? open(id);
    if (!known) onOpen(stream);
    if (kind === 0) stream.push(Buffer.from(bytes));
    else if (kind === 1) stream.push(null);
    else if (streams.delete(id) && !stream.readableEnded) stream.push(null);
  };
  return {
    open,
    take(bytes) {
      rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
      while (rest.length >= 9 && rest.length >= 9 + rest.readUInt32BE(5)) {
        const end = 9 + rest.readUInt32BE(5);
        take(rest.readUInt32BE(0), rest[4], rest.subarray(9, end));
        rest = rest.subarray(end);
      }
    },
  };
}
function join(one, other) {
  for (const [from, to] of [[one, other], [other, one]]) {
    from.on("error", () => to.destroy());
    from.on("close", () => { if (!from.readableEnded) to.destroy(); });
    from.pipe(to);
  }
}
`;

/**
 * The source of a helper process that keeps running after this process exits. The helper process connects its own
 * standard streams, which are a recording, to the standard streams of a program in a container. It receives the request
 * on descriptor 3, and writes the program's first line there.
 */
export const recorderSource = `
import { Socket } from "node:net";
import { writeSync } from "node:fs";
${execSource}
const line = new Socket({ fd: 3 });
const report = (message) => line.write(JSON.stringify(message) + "\\n");
let received = Buffer.alloc(0);
let isStarted = false;
const writeAll = (fd, bytes) => { for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at); };
const onOutput = (kind, bytes) => {
  if (isStarted) return writeAll(kind, bytes);
  if (kind === 2) return report({ stderr: bytes.toString() });
  received = Buffer.concat([received, bytes]);
  const end = received.indexOf(10);
  if (end < 0) return;
  isStarted = true;
  report({ line: received.toString("utf8", 0, end) });
  writeAll(1, received.subarray(end + 1));
};
let order = "";
line.setEncoding("utf8").on("data", async (text) => {
  order += text;
  if (!order.endsWith("\\n")) return;
  try {
    const { id, socket } = await openExec(JSON.parse(order), onOutput);
    report({ exec: id });
    socket.on("error", () => {});
    socket.on("close", () => { if (!isStarted) report({ ended: received.toString() }); line.end(() => process.exit()); });
    process.stdin.pipe(socket);
  } catch (error) {
    report({ failed: error.message });
    line.end(() => process.exit(1));
  }
});
line.on("error", () => {});
`;

/**
 * Returns the source of a helper process that keeps running after this process exits. The helper process forwards
 * requests from an agent in a container to its model and adds the key. It exits when its file is removed or its
 * connection closes.
 */
export const routeSource = (proxy: string): string => `
import { existsSync } from "node:fs";
import { Duplex } from "node:stream";
${execSource}${muxSource}${proxy}
let isReady = false;
const mux = createMux((bytes) => inside.socket.write(bytes), (stream) => server.emit("connection", stream));
let stderr = "";
const inside = await openExec(order, (kind, bytes) => {
  if (kind === 2) stderr += bytes;
  else if (isReady) mux.take(Buffer.from(bytes));
  else {
    isReady = true;
    mux.take(Buffer.from(bytes.subarray(bytes.indexOf(10) + 1)));
    console.log("ready");
  }
});
inside.socket.on("error", () => {});
inside.socket.on("close", () => { if (!isReady) console.error(stderr || "it ended"); process.exit(); });
setInterval(() => { if (!existsSync(order.file)) process.exit(); }, 500);
`;

/**
 * The source of a program that runs in the container until its connection closes. It forwards connections to the
 * loopback address over its standard streams.
 */
export const insideAcceptSource = `
const { createServer } = require("node:net");
const { Duplex } = require("node:stream");
${muxSource}
const [address, port] = process.argv.slice(1);
const mux = createMux((bytes) => process.stdout.write(bytes));
let next = 1;
const server = createServer({ allowHalfOpen: true }, (near) => join(near.setNoDelay(true), mux.open(next++)));
process.stdin.on("data", (bytes) => mux.take(bytes)).on("end", () => process.exit());
let attempts = 0;
const listen = () => server.listen(Number(port), address, () => process.stdout.write("ready\\n"));
server.on("error", (error) => {
  // An earlier session's instance of this program may not have exited yet.
  if (error.code !== "EADDRINUSE" || ++attempts > 50) throw error;
  setTimeout(listen, 100);
});
listen();
`;

/** The source of a program that runs in the container until its connection closes and connects each stream to a port. */
export const insideConnectSource = `
const { connect } = require("node:net");
const { Duplex } = require("node:stream");
${muxSource}
const [port] = process.argv.slice(1);
const mux = createMux((bytes) => process.stdout.write(bytes), (stream) =>
  join(connect({ port: Number(port), host: "127.0.0.1", allowHalfOpen: true }).setNoDelay(true), stream));
process.stdin.on("data", (bytes) => mux.take(bytes)).on("end", () => process.exit());
process.stdout.write("ready\\n");
`;

/**
 * The source of a helper process that exits with this process. It listens on a local port and forwards connections to a
 * port in the container.
 */
export const portForwarderSource = `
import { createServer } from "node:net";
import { Duplex } from "node:stream";
import { text } from "node:stream/consumers";
${execSource}${muxSource}
let order = "";
process.stdin.setEncoding("utf8").on("end", () => process.exit()).on("data", (text) => {
  order += text;
  if (order.endsWith("\\n")) void open(JSON.parse(order));
});
async function open(order) {
  let isReady = false;
  let next = 1;
  const mux = createMux((bytes) => inside.socket.write(bytes));
  const server = createServer({ allowHalfOpen: true }, (near) => join(near.setNoDelay(true), mux.open(next++)));
  const inside = await openExec(order, (kind, bytes) => {
    if (kind === 2) return void process.stderr.write(bytes);
    if (isReady) return mux.take(Buffer.from(bytes));
    isReady = true;
    mux.take(Buffer.from(bytes.subarray(bytes.indexOf(10) + 1)));
    server.listen(0, "127.0.0.1", () => console.log(server.address().port));
  });
  inside.socket.on("close", () => process.exit());
}
`;
