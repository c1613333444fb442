import type { ResolvedSession } from "../contracts/session-request.ts";
import type { ModelEndpoint } from "../schema/model.ts";
import type { ExplainedSetting } from "../schema/page/explanation.ts";
import type { RuntimeName } from "../schema/runtime.ts";
import type { Config } from "./config.ts";
import { modelSources } from "./models/default-model.ts";
import { findNamed } from "./models/model-choice.ts";
import { variableIn } from "./models/models.ts";
import type { Environment } from "./paths.ts";
import type { Resolvable } from "./resolve-session.ts";

/**
 * Returns the runtime, model, keys, permissions and host of a resolved session, each with its source. The result contains
 * the names of key variables, but no key.
 */
export function explainSession(
  config: Config,
  { decision, request, sources }: ResolvedSession<Resolvable>,
  env: Environment,
): ExplainedSetting[] {
  const { runtime, source, steps } = decision;
  const { file, key } = steps.find(({ decided }) => decided) ?? {};
  const { model = {}, permissions = "", host = "" } = request;
  const { id = "the runtime's own", baseUrl } = model;
  const endpoint = baseUrl === undefined ? id : `${id} at ${baseUrl}`;
  return [
    { setting: "runtime", value: runtime, by: file === undefined ? source : `${file}: ${key}` },
    { setting: "model", value: endpoint, by: sources.model },
    explainKeys(config, { model, env, runtime }),
    { setting: "permissions", value: permissions, by: sources.permissions },
    { setting: "host", value: host, by: sources.host },
  ];
}

function explainKeys(
  config: Config,
  { model, env, runtime }: { model: ModelEndpoint; env: Environment; runtime: RuntimeName },
): ExplainedSetting {
  const { apiKey } = model;
  const [, named] = findNamed(modelSources(config).models, model) ?? [];
  const variable = variableIn(named?.apiKey ?? "");
  const keys = (value: string, by: string): ExplainedSetting => ({ setting: "keys", value, by });
  if (env.HALYARD_API_KEY && apiKey === env.HALYARD_API_KEY) return keys("set", "HALYARD_API_KEY");
  const file = config.models?.path ?? "";
  if (variable !== undefined)
    return keys(apiKey ? "set" : "missing", `${variable}, named by ${file}`);
  if (named !== undefined) return keys(apiKey ? "set" : "withheld", file);
  return keys("the runtime's own", `see: halyard runtime doctor ${runtime}`);
}
