import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { allowedEnvironment } from "../src/programs/environment.ts";
import { processesIn } from "./cli/processes.ts";

const directory = fileURLToPath(new URL("../examples/", import.meta.url));

/** The expected output of each example. */
const expectedOutput: Readonly<Record<string, RegExp>> = {
  "acp-over-websocket.mjs":
    /^lost the connection after: 1 sheep, 2 sheep,…\nend_turn; received every character once$/m,
  "agent-facade.mjs":
    /^→ bash\n> Nothing here\.\n> Quite sure\.\n3 turns; You asked me to list the files\.$/m,
  "ari-facade.mjs": /^still running: true\ndelivered: confirmed$/m,
  "client.mjs": /^Hello from afar\.\ncompleted; sessions on the server: 1$/m,
  "detach-and-attach.mjs": /^detached, then attached\nthe second program received: /m,
  "follow-and-resume.mjs": /^resumed, not started again\n> It was 17\.$/m,
  "gas-town-rig.mjs":
    /^mayor on claude, gt-abc123 on codex\nconfirmed by stdin\nthe polecat wrote: gp-123\nresumed: gt-abc123$/m,
  "hooks.mjs":
    /^witness: SessionStop disposed\n4 lines in town\.jsonl; greenplace\/witness stopped$/m,
  "mount.mjs": /^Express: Hello\.\nHono: Hello\.\nNext\.js: Hello\.$/m,
  "one-turn.mjs": /^completed; hello\.txt: Hello!$/m,
  "openclaw-gateway.mjs":
    /^main: pi, coder: ccsdk\npi: Pi Agent\nTool: write starting[\s\S]*\n> Milk, you said\.\n[\s\S]*^ccsdk, then pi$/m,
  "oubliette-server.mjs":
    /^site: opencode, tools: droid\nworkspace 1: user message, write, assistant message\nworkspace 2: user message, write, assistant message\nturn 2: I was asked to tool write page\.txt 0$/m,
  "own-runtime.mjs": /^completed: Pieces of eight $/m,
  "permissions.mjs": /^ {2}deny by user\n {2}failed: .*no commands, please$/m,
  "run-facade.mjs": /^Tool: bash completed [\s\S]*\npi, resumed: Still nothing\.$/m,
  "steer-and-cancel.mjs": /^the story: cancelled\n> Still here\.$/m,
};

test("the table of expected outputs contains every example", async () => {
  expect((await readdir(directory)).sort()).toEqual(Object.keys(expectedOutput));
});

/** Bun and Deno have one package per platform. The last path of each list exists after npm has run the install scripts. */
const { platform, arch } = process;
const bun = installed([
  `@oven/bun-${platform}-${arch === "arm64" ? "aarch64" : arch}/bin/bun`,
  "bun/bin/bun.exe",
]);
const deno = installed([
  `@deno/${platform}-${arch}${platform === "linux" ? "-glibc" : ""}/deno`,
  "deno/deno",
]);
const programs = {
  Node: [process.execPath],
  Bun: [bun],
  Deno: [deno, "run", "--allow-all", "--quiet", "--node-modules-dir=manual"],
} as const;
const runs = Object.entries(programs).flatMap(([by, program]) =>
  Object.entries(expectedOutput).map(([name, line]) => [name, by, line, program] as const),
);

function installed(paths: readonly string[]): string {
  const files = paths.map((path) =>
    fileURLToPath(new URL(`../node_modules/${path}`, import.meta.url)),
  );
  return files.find((file) => existsSync(file)) ?? files.join(" or ");
}

test.concurrent.for(runs)(
  "%s prints the expected output on %s and leaves no process behind",
  { timeout: 240_000 }, // a long limit, because the examples run at the same time
  async ([name, , line, program], { expect, onTestFinished }) => {
    const home = await mkdtemp(join(tmpdir(), "halyard-"));
    onTestFinished(() => rm(home, { recursive: true, force: true }));
    const env = {
      ...allowedEnvironment(process.env),
      HOME: home,
      TMPDIR: home,
      HALYARD_HOME: home,
    };
    const [file, ...args] = program;
    const run = promisify(execFile)(file, [...args, join(directory, name)], { cwd: home, env });
    const { stdout, stderr } = await run;
    expect(stdout).toMatch(line);
    expect(stderr).toBe("");
    await expect.poll(() => processesIn(home), { timeout: 10_000 }).toEqual([]);
  },
);
