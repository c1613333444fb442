/** The variable that the line is told its key by; only its hash is told to the server. */
export const LINE_KEY = "HALYARD_CODEX_LINE_TOKEN";

/**
 * A program that starts a `codex app-server` which several may speak to, and is a line to it: what comes in by
 * standard input goes to the server, and what that says goes to standard output, where the host keeps it. As source
 * text, for it runs by itself and outlives us.
 */
export function lineSource(options: {
  readonly file: string;
  /** Where it leaves the address that others reach the server by. */
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
const server = spawn(file, ["app-server", "--listen", "ws://127.0.0.1:0", ...auth], {
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
