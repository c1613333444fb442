import { existsSync } from "node:fs";
import { join } from "node:path";
import { HalyardError } from "../../core/error.ts";
import type { ReasoningLevel } from "../../schema/model.ts";
import type { PiSdk } from "./load.ts";
import { type ModelSource, notSignedIn, PROVIDER, providerConfig } from "./model.ts";
import { providerKeys } from "./provider-keys.ts";

type ModelRegistry = ReturnType<PiSdk["ModelRegistry"]["inMemory"]>;
type Model = NonNullable<ReturnType<ModelRegistry["find"]>>;

export interface SdkModel {
  readonly registry: ModelRegistry;
  /** None where Pi is to choose: the one it used last, or its own default. */
  readonly model: Model | undefined;
}

/** Pi's models and keys for a session in this process. Keys are kept in memory. */
export function sdkModel(
  sdk: PiSdk,
  source: ModelSource,
  options: {
    agentDir: string;
    reasoning: ReasoningLevel | undefined;
    env: Readonly<Record<string, string | undefined>>;
  },
): SdkModel {
  switch (source.kind) {
    case "endpoint": {
      const auth = sdk.AuthStorage.inMemory();
      auth.setRuntimeApiKey(PROVIDER, source.endpoint.apiKey);
      const registry = sdk.ModelRegistry.inMemory(auth);
      // The key is taken from `auth`; here Pi would take one that begins with `!` for a command to run.
      const config = providerConfig(source.endpoint, options.reasoning, "in memory");
      registry.registerProvider(PROVIDER, config);
      return { registry, model: registry.find(PROVIDER, source.endpoint.id) };
    }
    case "vendor": {
      const auth = sdk.AuthStorage.inMemory();
      auth.setRuntimeApiKey(source.provider, source.apiKey);
      const registry = sdk.ModelRegistry.inMemory(auth);
      const offered = registry.getAll().filter(({ provider }) => provider === source.provider);
      // Keys for others may be in the environment of this process, where Pi looks for itself.
      registry.getAvailable = () => offered;
      return { registry, model: source.id === undefined ? undefined : pick(offered, source.id) };
    }
    case "own": {
      const registry = sdk.ModelRegistry.create(
        userAuth(sdk, options.agentDir, options.env),
        join(options.agentDir, "models.json"),
      );
      if (source.id === undefined) return { registry, model: undefined };
      return { registry, model: pick(registry.getAvailable(), source.id) };
    }
  }
}

/** The user's login. Pi would create the file where there is none. */
function userAuth(sdk: PiSdk, agentDir: string, env: Readonly<Record<string, string | undefined>>) {
  const file = join(agentDir, "auth.json");
  const auth = existsSync(file) ? sdk.AuthStorage.create(file) : sdk.AuthStorage.inMemory();
  for (const [provider, variable] of providerKeys) {
    const key = env[variable];
    if (key !== undefined && key !== "" && !auth.has(provider))
      auth.setRuntimeApiKey(provider, key);
  }
  return auth;
}

/** By its id, or by `provider/id`; one that is newer than Pi is taken for a sibling of those Pi knows. */
function pick(offered: readonly Model[], wanted: string): Model {
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
