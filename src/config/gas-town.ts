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
 * Completes a session that has a part in a Gas Town, by its environment or by its labels: its process gets the variables of
 * its part and place, and the labels keep them for a resume. `GT_SESSION_ID` is the caller's if there is one, else our id. An
 * empty variable counts as not set.
 */
export function inGasTown<R extends Townsman>(request: R, runtime: RuntimeName): R {
  const { id, cwd, labels } = request;
  const given = withoutEmpty({ ...request.env, ...fromLabels(labels) });
  if (id === undefined || !names.some((name) => name in given)) return request;
  const { GT_RIG: rig, GT_POLECAT: polecat } = given;
  const part = { ...(rig && polecat && { BD_ACTOR: `${rig}/polecats/${polecat}` }), ...given };
  const env = { GT_SESSION: id, GT_SESSION_ID: id, ...part, GT_AGENT: runtime, GT_WORKDIR: cwd };
  return { ...request, env, labels: { ...gasTownLabels(part), ...labels } };
}

/** Any of these makes a session one of the town's. */
const names: readonly string[] = [...gasTownNames.map(({ variable }) => variable), "GT_WORKDIR"];

function withoutEmpty(env: Readonly<Record<string, string>>): Record<string, string> {
  const pairs = Object.entries(env).filter(
    ([name, value]) => value !== "" || !names.includes(name),
  );
  return Object.fromEntries(pairs);
}

function fromLabels(labels: Readonly<Record<string, string>>): Record<string, string> {
  const pairs = gasTownNames.flatMap(({ variable, label }) => {
    const value = labels[label];
    return value === undefined ? [] : [[variable, value] as const];
  });
  return Object.fromEntries(pairs);
}
