import { withInstructions } from "../../../adapter-kit/project-instructions.ts";
import type { ConnectRequest } from "../../../contracts/adapter.ts";
import { HalyardError } from "../../../errors/error.ts";
import type { PromptSettings, Providers, SessionApi } from "../server/session-api.ts";
import { type ModelSource, PROVIDER, variantsFor } from "./model.ts";

/**
 * Returns the settings for each message. Throws if OpenCode lacks the session's agent or model, so that the error
 * occurs before the first message.
 */
export async function promptSettings(
  request: ConnectRequest,
  source: ModelSource,
  api: SessionApi,
): Promise<PromptSettings> {
  const [agents, providers] = await Promise.all([api.agents(), api.providers()]);
  const { reasoning, options } = request;
  const agent = request.plan ? "plan" : typeof options.agent === "string" ? options.agent : "build";
  if (!agents.some(({ name, mode }) => name === agent && mode !== "subagent"))
    throw new HalyardError(
      "invalid_input",
      `OpenCode has no primary agent "${agent}". Run "opencode agent list" to list agents.`,
    );
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

/** Instruction files that OpenCode ignores in an untrusted project. Halyard passes the first existing file instead. */
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
      'OpenCode has no model. Run "opencode auth login", or set a provider\'s key, such as ANTHROPIC_API_KEY.',
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
    `OpenCode has no model "${id}". Run "halyard models opencode" to list models.`,
  );
}

/** Finds a model by `provider/model` or by its id. */
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
