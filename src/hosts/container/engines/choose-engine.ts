import type { ContainerEngine } from "../../../contracts/container-engine.ts";
import { HalyardError, reasonOf } from "../../../errors/error.ts";
import { candidates, type Environment } from "./candidates.ts";

/**
 * Returns the first engine that responds. If none responds, rejects with an error that lists the tried engines and the
 * next step.
 */
export async function chooseEngine(env: Environment): Promise<ContainerEngine> {
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
    `No container engine responds. ${reasons.join(" ")} Run "halyard container doctor" for details.`,
  );
}
