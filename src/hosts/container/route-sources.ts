/**
 * A server that passes requests on to the model of its order, with the key. A request can choose nothing but the path
 * below the model's own.
 */
export const proxyServerSource = `
import * as http from "node:http";
import * as https from "node:https";
import { text } from "node:stream/consumers";

const order = JSON.parse(await text(process.stdin));
const { headers } = order;
const base = new URL(order.target);
const prefix = base.pathname.replace(/\\/$/, "");
const client = base.protocol === "https:" ? https : http;
const agent = new client.Agent({ keepAlive: true });

function refuse(answer, status, message) {
  if (answer.headersSent) return answer.destroy();
  answer.writeHead(status, { "content-type": "application/json" });
  answer.end(JSON.stringify({ error: { type: "halyard_proxy", message } }));
}

const server = http.createServer((asked, answer) => {
  const { pathname, search } = new URL("http://x" + asked.url);
  if (pathname !== prefix && !pathname.startsWith(prefix + "/"))
    return refuse(answer, 404, "only the model is reached this way");
  const { authorization, connection, "x-api-key": key, "proxy-authorization": other, ...rest } = asked.headers;
  const sent = client.request({
    agent,
    method: asked.method,
    hostname: base.hostname.replace(/^\\[|\\]$/g, ""),
    port: base.port,
    path: pathname + search,
    headers: { ...rest, ...headers, host: base.host },
  });
  sent.setNoDelay(true);
  sent.on("response", (told) => {
    const { connection: hop, "keep-alive": hops, ...kept } = told.headers;
    answer.writeHead(told.statusCode, kept);
    told.pipe(answer);
    told.on("error", () => answer.destroy());
  });
  sent.on("error", (error) => refuse(answer, 502, "the model does not answer: " + (error.code ?? error.message)));
  answer.on("close", () => sent.destroy());
  asked.pipe(sent);
});
server.on("upgrade", (_, stream) => stream.destroy());
`;

/**
 * Runs beside us and goes on without us: takes these requests on a socket that the container can see. It lives as long as
 * the socket's file does.
 */
export const proxySource = `
import { chownSync, openSync, statSync } from "node:fs";
${proxyServerSource}
const { owner } = order;
const socket = "/proc/self/fd/" + openSync(order.directory, "r") + "/" + order.name; // a path has at most 107 bytes
process.umask(0o177);
server.listen(socket, () => {
  if (owner) chownSync(socket, owner.uid, owner.gid);
  const { ino } = statSync(socket);
  setInterval(() => {
    if (statSync(socket, { throwIfNoEntry: false })?.ino !== ino) process.exit();
  }, 500);
  console.log("ready");
});
`;

/** Runs inside: what connects to the socket is connected to the port. Ends when whoever started it lets go of its input. */
export const entranceSource = `
const { connect, createServer } = require("node:net");
const [socket, port] = process.argv.slice(1);
process.stdin.on("end", () => process.exit()).resume();
const server = createServer({ allowHalfOpen: true }, (near) => {
  const far = connect({ port: Number(port), host: "127.0.0.1", allowHalfOpen: true });
  far.setNoDelay(true);
  for (const [one, other] of [[near, far], [far, near]]) {
    one.on("error", () => other.destroy());
    one.on("close", () => other.destroy());
    one.pipe(other);
  }
});
process.umask(0o177);
server.listen(socket, () => console.log("ready"));
`;

/** Runs inside: what connects to the loopback address is connected to the socket. */
export const forwarderSource = `
const { connect, createServer } = require("node:net");
const [socket, address, port] = process.argv.slice(1);
const server = createServer({ allowHalfOpen: true }, (near) => {
  const far = connect({ path: socket, allowHalfOpen: true });
  near.setNoDelay(true);
  for (const [one, other] of [[near, far], [far, near]]) {
    one.on("error", () => other.destroy());
    one.on("close", () => other.destroy());
    one.pipe(other);
  }
});
server.listen(Number(port), address, () => console.log("ready"));
`;
