import type { HalyardParts } from "../contracts/halyard-parts.ts";
import { parseInput } from "../errors/parse-input.ts";
import { ExplainRequest, type Explanation } from "../schema/page/explanation.ts";
import { readRequest } from "../session/session-request.ts";

/** Resolves a session as a start would, and returns each setting with its source. Starts nothing. */
export async function explainStart(
  parts: HalyardParts,
  input: ExplainRequest,
): Promise<Explanation> {
  const asked = await readRequest(parseInput(ExplainRequest, input));
  const { decision, request, sources, warnings } = await parts.resolve(asked, { isNew: true });
  const { runtime, source, steps } = decision;
  const { file, key } = steps.find(({ decided }) => decided) ?? {};
  const { id = "the runtime's own", baseUrl, apiKey } = request.model ?? {};
  const hasKey = apiKey !== undefined;
  return {
    settings: [
      { setting: "runtime", value: runtime, by: file === undefined ? source : `${file}: ${key}` },
      {
        setting: "model",
        value: baseUrl === undefined ? id : `${id} at ${baseUrl}`,
        by: sources.model,
      },
      {
        setting: "keys",
        value: hasKey ? "set" : "the runtime's own",
        by: hasKey ? sources.model : `see: halyard runtime doctor ${runtime}`,
      },
      { setting: "permissions", value: request.permissions, by: sources.permissions },
      { setting: "host", value: request.host, by: sources.host },
    ],
    steps,
    warnings: [...warnings],
    trusted: (await parts.trusts?.(asked)) ?? false,
  };
}
