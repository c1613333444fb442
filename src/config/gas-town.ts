import { gasTownLabels, gasTownNames } from "../schema/gas-town.ts";
import type { SessionId } from "../schema/id.ts";
import type { RuntimeName } from "../schema/runtime.ts";

/** The part of a session's request that a Gas Town has to do with. */
interface Townsman {
  readonly id?: SessionId | undefined;
  readonly cwd: string;
  readonly env: Record<string, string>;
  readonly labels: Record<string, string>;
}

/**
 * A session that has a part in a Gas Town, by its environment or by its labels: its process is told who and where it is,
 * and the labels keep that for whoever resumes it. A `GT_SESSION_ID` that came along is its launcher's, and not its own.
 */
export function inGasTown<R extends Townsman>(request: R, runtime: RuntimeName): R {
  const { id, cwd, labels } = request;
  const given = { ...request.env, ...fromLabels(labels) };
  if (id === undefined || !names.some((name) => name in given)) return request;
  const { GT_RIG: rig, GT_POLECAT: polecat } = given;
  const env = {
    ...(rig && polecat && { BD_ACTOR: `${rig}/polecats/${polecat}` }),
    GT_SESSION: id,
    ...given,
    GT_AGENT: runtime,
    GT_SESSION_ID: id,
    GT_WORKDIR: cwd,
  };
  return { ...request, env, labels: { ...gasTownLabels(env), ...labels } };
}

/** Any of these makes a session one of the town's. */
const names = [...gasTownNames.map(({ variable }) => variable), "GT_WORKDIR"];

function fromLabels(labels: Readonly<Record<string, string>>): Record<string, string> {
  const pairs = gasTownNames.flatMap(({ variable, label }) => {
    const value = labels[label];
    return value === undefined ? [] : [[variable, value] as const];
  });
  return Object.fromEntries(pairs);
}
