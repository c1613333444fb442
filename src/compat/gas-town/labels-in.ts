import type { SessionId } from "../../schema/id.ts";
import type { RuntimeName } from "../../schema/runtime.ts";
import { gasTownLabels, gasTownNames } from "./names.ts";

/** The request fields that `inGasTown` reads or changes. */
interface TownRequest {
  readonly id?: SessionId | undefined;
  readonly cwd: string;
  readonly env: Record<string, string>;
  readonly labels: Record<string, string>;
}

/**
 * Adds Gas Town's variables and labels to a request whose environment or labels belong to a town. Returns any other
 * request, and a request without an id, unchanged. A resume restores the variables from the labels. `GT_SESSION_ID`
 * defaults to the Halyard id. An empty variable counts as not set.
 */
export function inGasTown<R extends TownRequest>(request: R, runtime: RuntimeName): R {
  const { id, cwd, labels } = request;
  const given = withoutEmpty({ ...request.env, ...fromLabels(labels) });
  if (id === undefined || !names.some((name) => name in given)) return request;
  const { GT_RIG: rig, GT_POLECAT: polecat } = given;
  const part = { ...(rig && polecat && { BD_ACTOR: `${rig}/polecats/${polecat}` }), ...given };
  const env = { GT_SESSION: id, GT_SESSION_ID: id, ...part, GT_AGENT: runtime, GT_WORKDIR: cwd };
  return { ...request, env, labels: { ...gasTownLabels(part), ...labels } };
}

/** A session with any of these variables belongs to a town. */
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
