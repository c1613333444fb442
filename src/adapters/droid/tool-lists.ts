import { z } from "zod";
import { unknownTool } from "../../adapter-kit/unknown-tool.ts";
import type { ConnectRequest } from "../../contracts/adapter.ts";
import { changingTools } from "./policy.ts";

const Listed = z.looseObject({
  tools: z.array(z.looseObject({ id: z.string(), llmId: z.string() })),
});

/**
 * Disables the tools that the session may not use. Does nothing if the request has no tool lists. Throws if a list names
 * an unknown tool. Looks up the tools' ids, because they differ from the model's tool names.
 */
export async function limitTools({
  request: { plan, tools },
  call,
}: {
  readonly request: Pick<ConnectRequest, "plan" | "tools">;
  call(method: string, params: unknown): Promise<unknown>;
}): Promise<void> {
  if (tools === undefined) return;
  const { tools: all } = Listed.parse(await call("list_tools", {}));
  const idOf = (name: string): string => {
    const found = all.find(({ id, llmId }) => llmId === name || id === name);
    if (found) return found.id;
    throw unknownTool(
      "Droid",
      name,
      all.map(({ llmId }) => llmId),
    );
  };
  const enabled = tools.enabled?.map(idOf) ?? all.map(({ id }) => id);
  const disabled = (tools.disabled ?? []).map(idOf);
  const left = all.filter(({ id }) => !enabled.includes(id)).map(({ id }) => id);
  const disabledToolIds = [...left, ...disabled, ...(plan ? changingTools : [])];
  await call("update_session_settings", { disabledToolIds });
}
