import type { HalyardParts } from "../contracts/halyard-parts.ts";
import { HalyardError } from "../errors/error.ts";
import type { RuntimeName } from "../schema/runtime.ts";
import type { ModelInfo } from "../schema/runtimes/model-info.ts";
import { usableAdapter } from "./runtimes.ts";

/** Lists the models that a runtime offers. Rejects with `unsupported` if the runtime has no list. */
export async function listModels(
  { adapters, hosts }: HalyardParts,
  runtime: RuntimeName,
): Promise<ModelInfo[]> {
  const adapter = await usableAdapter(adapters, runtime);
  const host = hosts.get("local");
  if (adapter.models && host) return [...(await adapter.models(host))];
  throw new HalyardError(
    "unsupported",
    `${adapter.name} cannot list its models. Look them up in the runtime's documentation.`,
  );
}
