import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openScene } from "../../../test/real/scene.ts";
import { newRepository } from "../../../test/workspace/repository.ts";
import { claudeToolCalls } from "../../adapters/claude/events/tool-calls.ts";
import { claudeAdapter } from "../../adapters/claude/index.ts";
import { codexToolCalls } from "../../adapters/codex/events/tool-calls.ts";
import { codexAdapter } from "../../adapters/codex/index.ts";
import { piToolCalls } from "../../adapters/pi/events/tool-calls.ts";
import { piAdapter } from "../../adapters/pi/index.ts";
import type { ModelApi } from "../../schema/model.ts";
import type { RaceInfo } from "../../schema/workspace/race.ts";
import type { ModelRequest } from "../../testing/script.ts";

const apis: Readonly<Record<string, ModelApi>> = {
  claude: "anthropic",
  codex: "openai-responses",
  pi: "openai-chat",
};

/** Returns a predicate for the requests with the task from the runtime whose tool names match `tool`. */
const by = (tool: RegExp) => (request: ModelRequest) =>
  request.tools.some((name) => tool.test(name)) &&
  request.messages.some(({ text }) => text.includes("Correct the sum"));

test("ranks Claude Code, Codex and Pi by the check and the size of the diff, and adopts the winner's changes", async () => {
  const { root, git } = await newRepository({ "sum.txt": "1 + 1 = 3\n" });
  const { halyard, model } = await openScene((places) => [
    claudeAdapter(places),
    codexAdapter(places),
    piAdapter({ ...places, mode: "rpc" }),
  ]);
  const done = { text: "Done." };
  const wrong = codexToolCalls.shell("echo '1 + 1 = 4' > sum.txt");
  model.on(by(/^exec_command$/), { toolCalls: [wrong] }, done);
  const right = claudeToolCalls.shell("echo '1 + 1 = 2' > sum.txt");
  model.on(by(/^Bash$/), { toolCalls: [right] }, done);
  const wordy = piToolCalls.shell("printf '1 + 1 = 2\\nI am sure.\\n' > sum.txt");
  model.on(by(/^bash$/), { toolCalls: [wordy] }, done);

  const states = new Set<string>();
  const { id } = await halyard.races.start({
    prompt: "Correct the sum.",
    racers: Object.entries(apis).map(([runtime, api]) => ({
      runtime,
      cwd: root,
      permissions: "allow-all",
      model: model.endpoint(api),
    })),
    check: "grep -q '^1 + 1 = 2$' sum.txt",
    concurrency: 2,
  });
  let race: RaceInfo | undefined;
  for await (race of halyard.races.watch(id))
    for (const { runtime, state } of race.racers) states.add(`${runtime} ${state}`);
  const { racers = [], winner = "" } = race ?? {};
  expect(racers).toMatchObject([
    {
      runtime: "claude",
      outcome: "completed",
      check: { passed: true },
      changes: { files: 1, insertions: 1, deletions: 1 },
    },
    { runtime: "pi", check: { passed: true }, changes: { insertions: 2, deletions: 1 } },
    { runtime: "codex", check: { passed: false }, changes: { insertions: 1, deletions: 1 } },
  ]);
  expect([...states]).toContain("codex checking");
  expect(new Set(racers.map(({ branch }) => branch)).size).toBe(3);
  expect(await git("status", "-s")).toBe("");

  expect(winner).toBe(racers[0]?.sessionId);
  expect(await halyard.adopt(winner, { cwd: root })).toMatchObject({ files: 1 });
  expect(await readFile(join(root, "sum.txt"), "utf8")).toBe("1 + 1 = 2\n");
  const pruned = await halyard.pruneWorktrees({ park: true });
  expect(pruned.map(({ removed }) => removed)).toEqual([true, true, true]);
  expect(await git("worktree", "list", "--porcelain")).not.toContain("halyard/worktrees");
});
