import { gasTownLabels, gasTownNames } from "../../schema/gas-town.ts";
import type { SessionInfo } from "../../schema/session.ts";

/**
 * What a session's process is told of itself, by the canonical names. A `GT_SESSION_ID` that came along with the
 * environment is its launcher's, and not its own.
 */
export function sessionEnvironment(
  { id, runtime, cwd }: Pick<SessionInfo, "id" | "cwd"> & { runtime?: string | undefined },
  given: Readonly<Record<string, string>>,
): Record<string, string> {
  const { GT_RIG: rig, GT_POLECAT: polecat } = given;
  const actor = rig && polecat ? { BD_ACTOR: `${rig}/polecats/${polecat}` } : {};
  return {
    ...actor,
    GT_SESSION: id,
    ...given,
    ...(runtime && { GT_AGENT: runtime }),
    GT_SESSION_ID: id,
    GT_WORKDIR: cwd,
  };
}

/** The same for a session on record, of which the labels tell its part in the town. */
export function recordedEnvironment(info: SessionInfo): Record<string, string> {
  const pairs = gasTownNames.flatMap(({ variable, label }) => {
    const value = info.labels[label];
    return value === undefined ? [] : [[variable, value] as const];
  });
  return sessionEnvironment(info, Object.fromEntries(pairs));
}

/** Whether it has a part in a town at all. */
export function isTownie(env: Readonly<Record<string, string>>): boolean {
  return Object.keys(gasTownLabels(env)).length > 0;
}
