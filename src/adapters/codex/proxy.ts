import { randomBytes } from "node:crypto";
import { access, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ConnectRequest } from "../../contracts/adapter.ts";
import type { Command, HostProcess } from "../../contracts/host.ts";

/** The environment variable that contains the key for the server's WebSocket. The server receives only the key's hash. */
export const PROXY_KEY = "HALYARD_CODEX_LINE_TOKEN";

/** The process that connects a session to its server, and the key for the server's WebSocket. */
export interface ServerProxy {
  readonly process: HostProcess;
  readonly key: string;
}

/** Starts the proxy. The proxy starts a server that listens on a loopback WebSocket, and connects to the server. */
export async function startProxy(request: ConnectRequest, command: Command): Promise<ServerProxy> {
  const { address, program } = proxyFilesIn(request);
  const key = randomBytes(32).toString("hex");
  await writeFile(program, proxySource({ file: command.file, addressFile: address }));
  const proxy = await request.host.spawn(
    {
      ...command,
      file: process.execPath,
      args: ["--experimental-websocket", "--no-warnings", program],
      env: { ...command.env, [PROXY_KEY]: key },
    },
    request,
  );
  return { process: proxy, key };
}

/** Returns the paths of the proxy program and of the file that contains the server's address. */
export function proxyFilesIn({ runDir }: Pick<ConnectRequest, "runDir">) {
  return { program: join(runDir, "codex-line.mjs"), address: join(runDir, "codex-address") };
}

/** True if the session uses a proxy. */
export function hasProxy(request: Pick<ConnectRequest, "runDir">): Promise<boolean> {
  return access(proxyFilesIn(request).program).then(
    () => true,
    () => false,
  );
}

/**
 * Returns the source of a program that starts a `codex app-server` for several clients and is itself one of the clients.
 * The program forwards its stdin to the server and writes the server's messages to stdout, which the host records. The
 * program is generated as source text, because it runs as a separate process that keeps running after Halyard exits. The
 * program passes its own arguments to Codex before `app-server`.
 */
function proxySource(options: {
  readonly file: string;
  /** The file that the program writes the server's address to. */
  readonly addressFile: string;
}): string {
  return `import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { renameSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";

const { file, addressFile, keyName } = ${JSON.stringify({ ...options, keyName: PROXY_KEY })};
const { [keyName]: key, ...env } = process.env;
const hash = createHash("sha256").update(key).digest("hex");
const auth = ["--ws-auth", "capability-token", "--ws-token-sha256", hash];
const given = process.argv.slice(2);
const server = spawn(file, [...given, "app-server", "--listen", "ws://127.0.0.1:0", ...auth], {
  env,
  stdio: ["ignore", "ignore", "pipe"],
});
server.on("error", ({ message }) => end(127, message));
server.on("exit", (code, signal) => end(code ?? 1, signal ?? ""));

let output = "";
server.stderr.setEncoding("utf8").on("data", (text) => {
  process.stderr.write(text);
  if (output === undefined) return;
  output += text;
  const address = /listening on: (ws:\\S+)/.exec(output)?.[1];
  if (address === undefined) return;
  output = undefined;
  connect(address);
});

function connect(address) {
  const socket = new WebSocket(address, { headers: { authorization: "Bearer " + key } });
  socket.addEventListener("message", ({ data }) => process.stdout.write(data + "\\n"));
  socket.addEventListener("close", () => end(1, "the connection to codex was closed"));
  socket.addEventListener("open", () => {
    writeFileSync(addressFile + ".new", address, { mode: 0o600 });
    renameSync(addressFile + ".new", addressFile);
    createInterface({ input: process.stdin }).on("line", (line) => {
      if (line.trim() !== "") socket.send(line);
    });
  });
}

function end(code, reason) {
  if (reason) process.stderr.write(reason + "\\n");
  server.kill();
  process.exit(code);
}
`;
}
