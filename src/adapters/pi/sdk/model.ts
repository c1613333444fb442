import { existsSync } from "node:fs";
import { join } from "node:path";
import type { ReasoningLevel } from "../../../schema/model.ts";
import { type ModelSource, PROVIDER, providerConfig } from "../model/model.ts";
import { pickModel } from "../model/pick-model.ts";
import { providerKeys } from "../model/provider-keys.ts";
import type { PiSdk } from "./load.ts";

type ModelRegistry = ReturnType<PiSdk["ModelRegistry"]["inMemory"]>;
/** A model in Pi's SDK. */
export type Model = NonNullable<ReturnType<ModelRegistry["find"]>>;

/** A session's model, and the registry that contains all models. */
export interface SdkModel {
  readonly registry: ModelRegistry;
  /** Undefined if Pi chooses the model: the model that it used last, or its default. */
  readonly model: Model | undefined;
  /** Returns another model by its id. Chooses the model and throws errors like `pickModel`. */
  find(id: string): Model;
}

/** Creates Pi's model registry for an in-process session. Keys stay in memory. */
export function sdkModel(
  sdk: PiSdk,
  source: ModelSource,
  options: {
    agentDir: string;
    reasoning: ReasoningLevel | undefined;
    /** The provider to which the user's own models are restricted. Undefined for no restriction. */
    provider: string | undefined;
    env: Readonly<Record<string, string | undefined>>;
  },
): SdkModel {
  switch (source.kind) {
    case "endpoint": {
      const auth = sdk.AuthStorage.inMemory();
      auth.setRuntimeApiKey(PROVIDER, source.endpoint.apiKey);
      const registry = sdk.ModelRegistry.inMemory(auth);
      // The provider does not contain the key, because Pi would run a key that starts with `!` as a command. Pi reads
      // the key from `auth`.
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
      // Restricted, because Pi would also find other providers' keys in the environment of this process.
      registry.getAvailable = () => offered;
      const find = (id: string) => pickModel(offered, id);
      return { registry, model: source.id === undefined ? undefined : find(source.id), find };
    }
    case "own": {
      const registry = sdk.ModelRegistry.create(
        userAuth(sdk, options.agentDir, options.env),
        join(options.agentDir, "models.json"),
      );
      const { provider } = options;
      const find = (id: string) => pickModel(registry.getAvailable(), id, { provider });
      return { registry, model: source.id === undefined ? undefined : find(source.id), find };
    }
  }
}

/** Reads the user's login, and adds keys from the environment for other providers. Creates no file if there is no login. */
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
