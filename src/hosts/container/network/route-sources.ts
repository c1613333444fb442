/**
 * The source of an HTTP server that forwards requests to a model and adds the key. Standard input contains the model's
 * URL and the headers with the key. A request can choose only the path below the model's base path.
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

function refuse(reply, status, message) {
  if (reply.headersSent) return reply.destroy();
  reply.writeHead(status, { "content-type": "application/json" });
  reply.end(JSON.stringify({ error: { type: "halyard_proxy", message } }));
}

const server = http.createServer((request, reply) => {
  const { pathname, search } = new URL("http://x" + request.url);
  if (pathname !== prefix && !pathname.startsWith(prefix + "/"))
    return refuse(reply, 404, "this proxy forwards requests to the model only");
  const { authorization, connection, "x-api-key": key, "proxy-authorization": other, ...rest } = request.headers;
  const sent = client.request({
    agent,
    method: request.method,
    hostname: base.hostname.replace(/^\\[|\\]$/g, ""),
    port: base.port,
    path: pathname + search,
    headers: { ...rest, ...headers, host: base.host },
  });
  sent.setNoDelay(true);
  sent.on("response", (response) => {
    const { connection: hop, "keep-alive": hops, ...kept } = response.headers;
    reply.writeHead(response.statusCode, kept);
    response.pipe(reply);
    response.on("error", () => reply.destroy());
  });
  sent.on("error", (error) => refuse(reply, 502, "the model does not respond: " + (error.code ?? error.message)));
  reply.on("close", () => sent.destroy());
  request.pipe(sent);
});
server.on("upgrade", (_, stream) => stream.destroy());
`;

/**
 * The source of a helper process that runs `proxyServerSource` on a socket that the container can access. The helper
 * process keeps running after this process exits, and exits when the socket's file is removed.
 */
export const proxySource = `
import { chownSync, openSync, statSync } from "node:fs";
${proxyServerSource}
const { owner } = order;
// a short path, because a socket path has at most 107 bytes
const socket = "/proc/self/fd/" + openSync(order.directory, "r") + "/" + order.name;
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

/**
 * The source of a program that runs in the container and forwards connections from the socket to the port. It exits when
 * its standard input ends.
 */
export const socketForwarderSource = `
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

/** The source of a program that runs in the container and forwards connections from the loopback address to the socket. */
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
