import { HalyardError } from "../../../errors/error.ts";
import type { PiOptions } from "../../../schema/runtimes/runtime-options.ts";
import { notSignedIn } from "./model.ts";

interface Named {
  readonly provider: string;
  readonly id: string;
  readonly name: string;
}

/**
 * Finds a model by `id` or `provider/id`. For an unknown id, returns a copy of a known model from the same provider,
 * with that id. If `provider` is set, ignores the models of other providers. Throws `not_signed_in` if no model is left,
 * and `invalid_input` if the id is unknown and the provider is ambiguous.
 */
export function pickModel<Model extends Named>(
  all: readonly Model[],
  wanted: string,
  { provider: required }: PiOptions = {},
): Model {
  if (all.length === 0) throw notSignedIn();
  const offered = all.filter(({ provider }) => required === undefined || provider === required);
  if (offered.length === 0) throw noKeyFor(required ?? "", all);
  const exact = offered.find(({ provider, id }) => id === wanted || `${provider}/${id}` === wanted);
  if (exact !== undefined) return exact;
  const sibling = offered.find(({ provider }) => wanted.startsWith(`${provider}/`));
  if (sibling !== undefined) {
    const id = wanted.slice(sibling.provider.length + 1);
    return { ...sibling, id, name: id };
  }
  const providers = providersOf(offered);
  const [only] = offered;
  if (providers.size === 1 && only !== undefined) return { ...only, id: wanted, name: wanted };
  const message = `Pi has no model ${wanted}. Pass it as PROVIDER/MODEL, with one of these providers: ${[...providers].join(", ")}.`;
  throw new HalyardError("invalid_input", message);
}

function noKeyFor(provider: string, all: readonly Named[]): HalyardError {
  const others = [...providersOf(all)].join(", ");
  const message = `Pi has no key for the provider "${provider}". Set its key, or use a provider that has one: ${others}.`;
  return new HalyardError("not_signed_in", message);
}

function providersOf(models: readonly Named[]): ReadonlySet<string> {
  return new Set(models.map(({ provider }) => provider));
}
