import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type Attempt,
  attack,
  attempts,
  type Fate,
  type HostileTools,
  type Mode,
} from "../../test/real/hostile-agent.ts";
import { createScene, type Scene } from "../../test/real/scene.ts";
import type { ModelApi } from "../schema/model.ts";
import { claudeAdapter } from "./claude/index.ts";
import { ccsdkAdapter } from "./claude/sdk.ts";
import { claudeToolCalls } from "./claude/tool-calls.ts";
import { codexAdapter } from "./codex/index.ts";
import { codexToolCalls } from "./codex/tool-calls.ts";
import { droidAdapter } from "./droid/index.ts";
import { droidToolCalls } from "./droid/tool-calls.ts";
import { opencodeAdapter } from "./opencode/index.ts";
import { piAdapter } from "./pi/index.ts";
import { piToolCalls } from "./pi/tool-calls.ts";

const byFilePath = (path: string) => ({ name: "Read", input: { file_path: path } });

const runtimes: Record<string, { api: ModelApi; tools: HostileTools }> = {
  claude: { api: "anthropic", tools: { ...claudeToolCalls, read: byFilePath } },
  ccsdk: { api: "anthropic", tools: { ...claudeToolCalls, read: byFilePath } },
  codex: { api: "openai-responses", tools: codexToolCalls },
  droid: { api: "openai-chat", tools: { ...droidToolCalls, read: byFilePath } },
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
  },
  pi: {
    api: "openai-chat",
    tools: { ...piToolCalls, read: (path) => ({ name: "read", input: { path } }) },
  },
};

const modes = ["deny", "ask", "allow-edits", "plan"] as const satisfies readonly Mode[];

/** What a policy means, on every runtime. */
const meaning: Readonly<Record<(typeof modes)[number], readonly Fate[]>> = {
  deny: ["runs", "denied", "denied", "denied"],
  ask: ["runs", "asks", "asks", "asks"],
  "allow-edits": ["runs", "runs", "asks", "asks"],
  plan: ["runs", "denied", "denied", "denied"],
};

/** What was seen, by policy and runtime. */
const seen = new Map<string, ReadonlyMap<Attempt, Fate>>();

let scene: Scene;
beforeAll(async () => {
  scene = await createScene((places) => [
    claudeAdapter(places),
    ccsdkAdapter(places),
    codexAdapter(places),
    droidAdapter(places),
    opencodeAdapter(places),
    piAdapter({ ...places, mode: "rpc" }),
  ]);
});
afterAll(() => scene[Symbol.asyncDispose]());

describe.each(Object.entries(runtimes))("a hostile model in %s", (runtime, { api, tools }) => {
  test.each(modes)("does nothing unasked under %s", async (mode) => {
    const endpoint = scene.model.endpoint(api);
    const { fates, damage } = await attack(scene, { runtime, mode, tools, endpoint });
    seen.set(`${mode} ${runtime}`, fates);
    expect(damage).toEqual([]);
    const expected = new Map(attempts.map((what, at) => [what, meaning[mode][at]]));
    if (runtime === "codex") expected.delete("read");
    // A plan has nothing else to read with: they run in a sandbox in which nothing can be written.
    if (runtime === "codex" && mode === "plan") expected.set("command", "runs");
    expect(Object.fromEntries(fates)).toEqual(Object.fromEntries(expected));
  });
});

test("the table in docs/permissions.md is what was seen", () => {
  const names = Object.keys(runtimes);
  if (seen.size < modes.length * names.length) return; // some were left out
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
