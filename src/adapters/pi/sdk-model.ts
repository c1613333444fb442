import { existsSync } from "node:fs";
import { join } from "node:path";
import type { ReasoningLevel } from "../../schema/model.ts";
import type { PiSdk } from "./load.ts";
import { type ModelSource, PROVIDER, providerConfig } from "./model.ts";
import { pickModel } from "./pick-model.ts";
import { providerKeys } from "./provider-keys.ts";

type ModelRegistry = ReturnType<PiSdk["ModelRegistry"]["inMemory"]>;
export type Model = NonNullable<ReturnType<ModelRegistry["find"]>>;

export interface SdkModel {
  readonly registry: ModelRegistry;
  /** None where Pi is to choose: the one it used last, or its own default. */
  readonly model: Model | undefined;
  /** Another of those it could use. */
  find(id: string): Model;
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
      const model = registry.find(PROVIDER, source.endpoint.id);
      return { registry, model, find: (id) => pickModel(model ? [model] : [], id) };
    }
    case "vendor": {
      const auth = sdk.AuthStorage.inMemory();
      auth.setRuntimeApiKey(source.provider, source.apiKey);
      const registry = sdk.ModelRegistry.inMemory(auth);
      const offered = registry.getAll().filter(({ provider }) => provider === source.provider);
      // Keys for others may be in the environment of this process, where Pi looks for itself.
      registry.getAvailable = () => offered;
      const find = (id: string) => pickModel(offered, id);
      return { registry, model: source.id === undefined ? undefined : find(source.id), find };
    }
    case "own": {
      const registry = sdk.ModelRegistry.create(
        userAuth(sdk, options.agentDir, options.env),
        join(options.agentDir, "models.json"),
      );
      const find = (id: string) => pickModel(registry.getAvailable(), id);
      return { registry, model: source.id === undefined ? undefined : find(source.id), find };
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
