import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * Runs the slowest files first, so that no worker is busy alone at the end. Without earlier results, Vitest sorts by file size,
 * but here the slow files are small: many of them run a suite of `src/testing/`.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    let sorted = await super.sort(files);
    for (const name of ["unit", "real", "attacks", "recovery", "cluster"]) {
      const isOf = ({ project }: TestSpecification) => project.name === name;
      const ordered = sorted.filter(isOf).sort((one, other) => placeOf(one) - placeOf(other));
      sorted = sorted.map((file) => (isOf(file) ? (ordered.shift() ?? file) : file));
    }
    return sorted;
  }
}

/** The slowest files, the longest first, as measured on two cores. */
const longest = [
  "client/client.test.ts",
  "src/create-halyard.test.ts",
  "hosts/local/index.test.ts",
  "run/run-reached.test.ts",
  "console/console.test.ts",
  "adapters/acp/acp.test.ts",
  "adapters/terminal/index.test.ts",
  "race/race.test.ts",
  "fake/faults.test.ts",
  "worktree/worktree-session.test.ts",
  "worktree/adopt.test.ts",
  "server/sessions.test.ts",
  "mcp/clients.test.ts",
  "cluster/chaos.cluster.test.ts",
  "adapters/hostile-agent.attack.test.ts",
  "droid/droid.real.test.ts",
  "opencode/opencode.real.test.ts",
  "acp/acp.real.test.ts",
  "compat/compat.real.test.ts",
  "cluster/real-agents.recovery.test.ts",
  "oubliette/fields.real.test.ts",
  "adapters/refused-model.attack.test.ts",
  "opencode/server/server.real.test.ts",
  "tmux/deliveries.real.test.ts",
  "claude/screen/screen.real.test.ts",
  "opencode/sessions.real.test.ts",
  "droid/droid-only.real.test.ts",
  "daemon/usage-limit.recovery.test.ts",
  "adapters/hostile-repository.attack.test.ts",
  "claude/sessions.real.test.ts",
  "opencode/settings.real.test.ts",
  "opencode/routes.real.test.ts",
  "codex/screen/screen.real.test.ts",
  "acp/clients.real.test.ts",
  "daemon/kill.recovery.test.ts",
  "oubliette/opencode.real.test.ts",
  "daemon/chaos.recovery.test.ts",
];

function placeOf({ moduleId }: TestSpecification): number {
  const location = longest.findIndex((name) => moduleId.endsWith(name));
  return location < 0 ? longest.length : location;
}
