import { HalyardError } from "../../errors/error.ts";
import { notSignedIn } from "./model.ts";

interface Named {
  readonly provider: string;
  readonly id: string;
  readonly name: string;
}

/** Finds a model by `id` or `provider/id`. An unknown model gets the settings of a known model of the same provider. */
export function pickModel<Model extends Named>(offered: readonly Model[], wanted: string): Model {
  if (offered.length === 0) throw notSignedIn();
  const exact = offered.find(({ provider, id }) => id === wanted || `${provider}/${id}` === wanted);
  if (exact !== undefined) return exact;
  const sibling = offered.find(({ provider }) => wanted.startsWith(`${provider}/`));
  if (sibling !== undefined) {
    const id = wanted.slice(sibling.provider.length + 1);
    return { ...sibling, id, name: id };
  }
  const providers = new Set(offered.map(({ provider }) => provider));
  const [only] = offered;
  if (providers.size === 1 && only !== undefined) return { ...only, id: wanted, name: wanted };
  const message = `Pi has no model ${wanted}. It has keys for these providers: ${[...providers].join(", ")}.`;
  throw new HalyardError("invalid_input", message);
}
