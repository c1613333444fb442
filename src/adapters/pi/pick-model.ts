import { HalyardError } from "../../core/error.ts";
import { notSignedIn } from "./model.ts";

interface Named {
  readonly provider: string;
  readonly id: string;
  readonly name: string;
}

/** By its id, or by `provider/id`; one that is newer than Pi is taken for a sibling of those Pi knows. */
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
  const message = `Pi knows no model ${wanted}; it can use those of ${[...providers].join(", ")}`;
  throw new HalyardError("invalid_input", message);
}
