import type { ConnectRequest } from "../../core/adapter.ts";
import { HalyardError } from "../../core/error.ts";
import { withInstructions } from "../../core/project-instructions.ts";
import { type ModelSource, PROVIDER, variantsFor } from "./model.ts";
import type { PromptSettings, Providers, SessionApi } from "./session-api.ts";

/** Asks OpenCode whether it has what the session needs, rather than have the first message run into it. */
export async function promptSettings(
  request: ConnectRequest,
  source: ModelSource,
  api: SessionApi,
): Promise<PromptSettings> {
  const [agents, providers] = await Promise.all([api.agents(), api.providers()]);
  const { reasoning, options } = request;
  const agent = request.plan ? "plan" : typeof options.agent === "string" ? options.agent : "build";
  if (!agents.some(({ name, mode }) => name === agent && mode !== "subagent"))
    throw new HalyardError("invalid_input", `OpenCode has no agent "${agent}" to talk to`);
  const model = chooseModel(request.model?.id, source, providers);
  const variants = variantsOf(providers, model);
  const variant = variantsFor(reasoning).find((name) => variants.includes(name));
  const system = await withInstructions(request, INSTRUCTIONS);
  return {
    agent,
    ...(model && { model }),
    ...(variant !== undefined && { variant }),
    ...(system !== undefined && { system }),
  };
}

/** What OpenCode leaves out of an untrusted project together with its configuration; the first that exists counts. */
const INSTRUCTIONS = ["AGENTS.md", "CLAUDE.md", "CONTEXT.md"];

type Model = NonNullable<PromptSettings["model"]>;

function chooseModel(
  id: string | undefined,
  source: ModelSource,
  known: Providers,
): Model | undefined {
  if (source.kind === "endpoint") return { providerID: PROVIDER, modelID: source.endpoint.id };
  if (known.providers.length === 0)
    throw new HalyardError(
      "not_signed_in",
      "OpenCode has no model: run opencode auth login, or give a key",
    );
  if (id === undefined) {
    const modelID = source.kind === "vendor" ? known.default?.[source.provider] : undefined;
    return source.kind === "vendor" && modelID !== undefined
      ? { providerID: source.provider, modelID }
      : undefined;
  }
  const found = findModel(id, known);
  if (found !== undefined) return found;
  throw new HalyardError(
    "invalid_input",
    `OpenCode knows no model "${id}"; opencode models lists them`,
  );
}

/** `provider/model`, or the name of a model alone. */
function findModel(id: string, { providers }: Providers): Model | undefined {
  for (const { id: providerID, models } of providers) {
    const prefix = `${providerID}/`;
    const modelID = id.startsWith(prefix) ? id.slice(prefix.length) : id;
    if (Object.hasOwn(models, modelID)) return { providerID, modelID };
  }
  return undefined;
}

function variantsOf({ providers }: Providers, model: Model | undefined): string[] {
  const provider = providers.find(({ id }) => id === model?.providerID);
  return Object.keys(provider?.models[model?.modelID ?? ""]?.variants ?? {});
}
