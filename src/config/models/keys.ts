import type { Config } from "../config.ts";
import type { Environment } from "../paths.ts";
import { factoryKey } from "../server.ts";
import { variableIn } from "./models.ts";

/** Returns all API keys and hook secrets that a configuration contains or refers to, for redaction. */
export function keysIn(config: Config, env: Environment): string[] {
  const { factory, models, settings, userSettings } = config;
  const hooks = [settings, userSettings].flatMap((file) => file?.value?.hooks ?? []);
  const keys = [
    ...Object.values(models?.value?.models ?? {}).map(({ apiKey }) => apiKey),
    ...hooks.map((hook) => ("secret" in hook ? hook.secret : undefined)),
  ].map((key = "") => {
    const variable = variableIn(key);
    return variable === undefined ? key : env[variable];
  });
  return [factoryKey(factory?.value), ...keys].flatMap((key) => (key ? [key] : []));
}
