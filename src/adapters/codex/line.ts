import { randomBytes } from "node:crypto";
import { access, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ConnectRequest } from "../../core/adapter.ts";
import type { Command, HostProcess } from "../../core/host.ts";

/** The variable that holds the line's key; the server gets only its hash. */
export const LINE_KEY = "HALYARD_CODEX_LINE_TOKEN";

/** The process that connects a session to its server, and the key of that server. */
export interface Line {
  readonly process: HostProcess;
  readonly key: string;
}

/** Starts a server that listens on a WebSocket of the loopback interface, and the line to it. */
export async function startLine(request: ConnectRequest, command: Command): Promise<Line> {
  const { address, program } = lineFilesIn(request);
  const key = randomBytes(32).toString("hex");
  await writeFile(program, lineSource({ file: command.file, addressFile: address }));
  const line = await request.host.spawn(
    {
      ...command,
      file: process.execPath,
      args: ["--experimental-websocket", "--no-warnings", program],
      env: { ...command.env, [LINE_KEY]: key },
    },
    request,
  );
  return { process: line, key };
}

/** The line's program, and the file with the server's address. */
export function lineFilesIn({ runDir }: Pick<ConnectRequest, "runDir">) {
  return { program: join(runDir, "codex-line.mjs"), address: join(runDir, "codex-address") };
}

/** True if the session's server is reached by a line. */
export function hasLine(request: Pick<ConnectRequest, "runDir">): Promise<boolean> {
  return access(lineFilesIn(request).program).then(
    () => true,
    () => false,
  );
}

/**
 * A program that starts a `codex app-server` for several clients and is one of them: it sends its standard input to the
 * server, and writes what the server sends to standard output, which the host records. It is source text, because it runs
 * by itself and outlives us. Arguments of its own go before those of the server.
 */
function lineSource(options: {
  readonly file: string;
  /** The file that it writes the server's address to. */
  readonly addressFile: string;
}): string {
  return `import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { renameSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";

const { file, addressFile, keyName } = ${JSON.stringify({ ...options, keyName: LINE_KEY })};
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

let said = "";
server.stderr.setEncoding("utf8").on("data", (text) => {
  process.stderr.write(text);
  if (said === undefined) return;
  said += text;
  const address = /listening on: (ws:\\S+)/.exec(said)?.[1];
  if (address === undefined) return;
  said = undefined;
  connect(address);
});

function connect(address) {
  const socket = new WebSocket(address, { headers: { authorization: "Bearer " + key } });
  socket.addEventListener("message", ({ data }) => process.stdout.write(data + "\\n"));
  socket.addEventListener("close", () => end(1, "the line to codex was cut"));
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
