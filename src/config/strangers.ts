import type { ModelEndpoint } from "../schema/model.ts";
import type { RuntimeName } from "../schema/runtime.ts";
import type { Config } from "./config.ts";
import { modelSources } from "./default-model.ts";
import { findNamed } from "./model-choice.ts";
import { factoryKey } from "./server.ts";
import { isOnThisMachine } from "./this-machine.ts";

/** Who would hear a session because a directory says so that the user does not trust, each as a warning. */
export function strangersIn(
  config: Config,
  runtime: RuntimeName,
  model: ModelEndpoint | undefined,
): string[] {
  const { models, untrusted } = modelSources(config);
  if (config.models?.isTrusted !== false) return [];
  const { directory } = config.models;
  const warnings: string[] = [];
  const isElsewhere = model?.baseUrl !== undefined && !isOnThisMachine(model.baseUrl);
  if (untrusted !== undefined && isElsewhere && findNamed(models, model))
    warnings.push(`${config.models.path} sends this session to ${model.baseUrl}`);
  if (runtime === "droid" && factoryKey(config.factory?.value) !== undefined)
    warnings.push(`${config.factory?.path} signs Droid in with a key of its own`);
  return warnings.map(
    (what) =>
      `${what}, and ${directory} is not trusted. If that is right: halyard trust ${directory}`,
  );
}
