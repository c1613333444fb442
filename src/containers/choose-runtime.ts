import { HalyardError, reasonOf } from "../core/error.ts";
import { candidates, type Environment } from "./candidates.ts";
import type { ContainerRuntime } from "./container-runtime.ts";

/** The first engine that answers; rejects with what was tried and what to do. */
export async function chooseRuntime(env: Environment): Promise<ContainerRuntime> {
  const reasons: string[] = [];
  for (const candidate of candidates(env)) {
    try {
      await candidate.ping();
      return candidate;
    } catch (error) {
      reasons.push(reasonOf(error));
    }
  }
  throw new HalyardError(
    "host_unavailable",
    `No container engine answers. ${reasons.join(" ")} \`halyard container doctor\` tells more.`,
  );
}
