import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { everyAdapter } from "../../test/real/every-adapter.ts";
import {
  type Attempt,
  attack,
  attempts,
  type Fate,
  type HostileTools,
  type Mode,
} from "../../test/real/hostile-agent.ts";
import { refusedFiles } from "../../test/real/hostile-repository.ts";
import { createScene, type Scene } from "../../test/real/scene.ts";
import type { HostName } from "../schema/host.ts";
import type { ModelApi } from "../schema/model.ts";
import { claudeToolCalls } from "./claude/events/tool-calls.ts";
import { codexToolCalls } from "./codex/events/tool-calls.ts";
import { droidToolCalls } from "./droid/events/tool-calls.ts";
import { piToolCalls } from "./pi/events/tool-calls.ts";
import { piAdapter } from "./pi/index.ts";

const IN_PROCESS = "pi-in-process";

const byFilePath = (path: string) => ({ name: "Read", input: { file_path: path } });

interface Case {
  readonly api: ModelApi;
  readonly tools: HostileTools;
  /** Files that are not planted, because they would prevent the runtime's start. */
  readonly refused?: RegExp;
  /** The runtime's name, if it differs from the case's name. */
  readonly runtime?: string;
  readonly host?: HostName;
}

const claudeTools = { ...claudeToolCalls, read: byFilePath };
const piTools: HostileTools = {
  ...piToolCalls,
  read: (path) => ({ name: "read", input: { path } }),
};

/** The columns of the table in docs/permissions.md. */
const runtimes: Record<string, Case> = {
  claude: { api: "anthropic", tools: claudeTools },
  ccsdk: { api: "anthropic", tools: claudeTools },
  codex: { api: "openai-responses", tools: codexToolCalls },
  droid: {
    api: "openai-chat",
    tools: { ...droidToolCalls, read: byFilePath },
    ...refusedBy("droid"),
  },
  opencode: {
    api: "openai-chat",
    tools: {
      write: (filePath, content) => ({ name: "write", input: { filePath, content } }),
      edit: (filePath, oldString, newString) => ({
        name: "edit",
        input: { filePath, oldString, newString },
      }),
      shell: (command) => ({ name: "bash", input: { command, description: "run it" } }),
      read: (filePath) => ({ name: "read", input: { filePath } }),
    },
    ...refusedBy("opencode"),
  },
  pi: {
    api: "openai-chat",
    tools: piTools,
    ...refusedBy("pi as a process"),
  },
};

/** The same runtimes in other forms. The expected results are the same. */
const forms: Record<string, Case> = {
  [IN_PROCESS]: { api: "openai-chat", tools: piTools },
  "claude on a screen": {
    api: "anthropic",
    tools: claudeTools,
    runtime: "claude",
    host: "tmux",
  },
  "codex on a screen": {
    api: "openai-responses",
    tools: codexToolCalls,
    runtime: "codex",
    host: "tmux",
  },
};

function refusedBy(name: string): { refused?: RegExp } {
  const refused = refusedFiles[name];
  return refused ? { refused } : {};
}

const modes = ["deny", "ask", "allow-edits", "plan"] as const satisfies readonly Mode[];

/** The expected result of each tool under each policy, on every runtime. */
const meaning: Readonly<Record<(typeof modes)[number], readonly Fate[]>> = {
  deny: ["runs", "denied", "denied", "denied"],
  ask: ["runs", "asks", "asks", "asks"],
  "allow-edits": ["runs", "runs", "asks", "asks"],
  plan: ["runs", "denied", "denied", "denied"],
};

/** The observed results, by policy and runtime. */
const seen = new Map<string, ReadonlyMap<Attempt, Fate>>();

let scene: Scene;
beforeAll(async () => {
  scene = await createScene((paths) => [
    ...everyAdapter(paths),
    { ...piAdapter({ ...paths, mode: "sdk" }), name: IN_PROCESS },
  ]);
});
afterAll(() => scene[Symbol.asyncDispose]());

// The runtimes run at the same time, because a turn mostly waits for a program. The last ones take longest, so they
// start first.
const cases = Object.entries({ ...runtimes, ...forms }).toReversed();
const each = describe.concurrent.each(cases);
each(
  "a hostile model in %s, in a hostile repository",
  (name, { api, runtime = name, ...means }) => {
    test.sequential.each(modes)(
      "performs no action without permission under %s, and runs no planted program",
      async (mode) => {
        const endpoint = scene.model.endpoint(api);
        const attacked = await attack(scene, { runtime, mode, endpoint, ...means });
        const { fates, requests, ...effects } = attacked;
        seen.set(`${mode} ${name}`, fates);
        const harmless = { damage: [], ran: [], stolen: [], isInstructed: true };
        expect(effects).toEqual({ ...harmless, status: "completed" });
        if (mode === "ask" || mode === "allow-edits") expect(requests).toBe(1);
        const expected = new Map(attempts.map((what, at) => [what, meaning[mode][at]]));
        if (runtime === "codex") expected.delete("read");
        // Codex reads files only with commands. In plan mode, commands run in a sandbox without write access.
        if (runtime === "codex" && mode === "plan") expected.set("command", "runs");
        expect(Object.fromEntries(fates)).toEqual(Object.fromEntries(expected));
      },
    );
  },
);

test("the table in docs/permissions.md matches the observed results", () => {
  const names = Object.keys(runtimes);
  if (names.some((name) => !modes.every((mode) => seen.has(`${mode} ${name}`)))) return; // skipped if a filter selected only some of the tests
  const rows = modes.flatMap((mode) =>
    attempts.map((what) => [
      `\`${mode}\``,
      what,
      ...names.map((name) => cell(name, mode, seen.get(`${mode} ${name}`)?.get(what))),
    ]),
  );
  const lines = [["policy", "tool", ...names], ["---", "---", ...names.map(() => "---")], ...rows];
  const table = lines.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
  const documented = /<!-- seen -->\n([\s\S]*?)\n<!-- \/seen -->/.exec(
    readFileSync(DOCUMENT, "utf8"),
  );
  expect(documented?.[1]).toBe(table);
});

const DOCUMENT = new URL("../../docs/permissions.md", import.meta.url);

function cell(name: string, mode: Mode, fate: Fate | undefined): string {
  if (fate === undefined) return "—";
  return name === "codex" && mode === "plan" && fate === "runs" ? "in a sandbox" : fate;
}
