import { z } from "zod";
import { anySignal } from "../../async/any-signal.ts";
import { raceNotFound } from "../../errors/require-id.ts";
import { RaceId } from "../../schema/id.ts";
import { RuntimeName } from "../../schema/runtime.ts";
import { RaceInfo, RaceRequest } from "../../schema/workspace/race.ts";
import { WorktreeRequest } from "../../schema/workspace/worktree.ts";
import type { McpSession } from "../mcp-session.ts";
import { defineTool, type Tool } from "../tool.ts";
import { Spawn, workspaceOf } from "./spawn.ts";

const Start = Spawn.pick({
  project_id: true,
  directory: true,
  workspace_id: true,
  create_workspace: true,
  message: true,
  reasoning_level: true,
}).extend({
  agent_runtimes: z
    .array(RuntimeName)
    .min(1)
    .max(10)
    .describe("Runtimes that take part, each in its own git worktree."),
  base: WorktreeRequest.shape.base.describe(
    "Commit at which the worktrees start. Defaults to the commit that is checked out.",
  ),
  check: RaceRequest.shape.check.describe(
    "Shell command that checks each worktree, such as npm test. Requires allow-all.",
  ),
  check_timeout_ms: RaceRequest.shape.checkTimeoutMs,
  concurrency: RaceRequest.shape.concurrency.describe(
    "Maximum number of agents that run at the same time. Defaults to all.",
  ),
});

const OneRace = z.strictObject({ race_id: RaceId });

const Wait = OneRace.extend({
  wait_ms: z
    .number()
    .int()
    .nonnegative()
    .max(600_000)
    .default(50_000)
    .describe("Maximum time to wait for the end of the race, in milliseconds."),
});

/** Creates the tools that start, await and cancel races between several agents. */
export function raceTools(client: McpSession): Tool[] {
  return [
    defineTool("race_start", {
      description:
        "Give the same task to several agents, each in its own git worktree, and rank the results by a check, the size of the diff, and cost. Follow the race with race_wait, and apply the winner's changes to a working tree with session_adopt.",
      input: Start,
      output: RaceInfo,
      effect: "changes",
      async run({ agent_runtimes: runtimes, message: prompt, base, check, ...input }) {
        const { context, labels } = client;
        const { cwd, project_id: project } = await workspaceOf(context, input);
        const racer = {
          cwd,
          permissions: context.permissions,
          ...labels,
          ...(project !== undefined && { project }),
          ...(input.reasoning_level !== undefined && { reasoning: input.reasoning_level }),
          ...(base !== undefined && { worktree: { base } }),
        };
        return (await client.halyard()).races.start({
          prompt,
          racers: runtimes.map((runtime) => ({ ...racer, runtime })),
          check,
          checkTimeoutMs: input.check_timeout_ms,
          concurrency: input.concurrency,
        });
      },
    }),
    defineTool("race_wait", {
      description:
        "Wait for the end of a race. Returns its state: running, done (with the racers ranked and the winner), cancelled, or lost. Reports progress.",
      input: Wait,
      output: RaceInfo,
      effect: "reads",
      async run({ race_id: id, wait_ms: waitMs }, call) {
        const { races } = await client.halyard();
        const signal = anySignal([AbortSignal.timeout(waitMs), call.signal]);
        if (waitMs > 0)
          for await (const race of races.watch(id, { signal })) {
            if (race.state !== "running") return race;
            await call.progress(race.revision, progressOf(race));
          }
        const race = await races.find(id);
        if (!race) throw raceNotFound(id);
        return race;
      },
    }),
    defineTool("race_cancel", {
      description: "Cancel a race with its turns and checks. Its sessions and worktrees are kept.",
      input: OneRace,
      output: RaceInfo,
      effect: "changes",
      run: async ({ race_id: id }) => (await client.halyard()).races.cancel(id),
    }),
  ];
}

function progressOf({ racers }: RaceInfo): string {
  return racers.map(({ runtime, state }) => `${runtime} ${state}`).join(", ");
}
