import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * Begins with the files that take longest: begun last, one of them would keep a worker busy when the others have nothing
 * left to do. By itself Vitest goes by their sizes where it has not run them before, and here a long file is short.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const real = sorted.filter(isReal).sort((one, other) => placeOf(one) - placeOf(other));
    return sorted.map((file) => (isReal(file) ? (real.shift() ?? file) : file));
  }
}

const longest = [
  "adapters/hostile-agent.real.test.ts",
  "adapters/hostile-repository.real.test.ts",
  "opencode/opencode.real.test.ts",
  "facades/facades.real.test.ts",
  "droid/droid.real.test.ts",
  "claude/screen.real.test.ts",
  "acp/acp.real.test.ts",
  "pi/rpc.test.ts",
  "opencode/server.real.test.ts",
  "tmux/deliveries.real.test.ts",
  "daemon/chaos.real.test.ts",
  "codex/screen.real.test.ts",
  "opencode/sessions.real.test.ts",
  "adapters/exchange.real.test.ts",
  "opencode/routes.real.test.ts",
  "agent/oubliette.real.test.ts",
];

function isReal({ project }: TestSpecification): boolean {
  return project.name === "real";
}

function placeOf({ moduleId }: TestSpecification): number {
  const place = longest.findIndex((name) => moduleId.endsWith(name));
  return place < 0 ? longest.length : place;
}
