import { z } from "zod";
import type { ConnectRequest } from "../../core/adapter.ts";
import { HalyardError } from "../../core/error.ts";
import { McpServers } from "../../schema/mcp-server.ts";
import { ModelEndpoint } from "../../schema/model.ts";

/** A model for Droid's own list. */
const ListedModel = ModelEndpoint.extend({
  displayName: z.string().optional(),
  maxOutputTokens: z.number().int().positive().optional(),
});
export type ListedModel = z.infer<typeof ListedModel>;

const DroidOptions = z.looseObject({
  /** The program, by its path or its name on the PATH. */
  bin: z.string().min(1).optional(),
  /** The key of a Factory account. */
  factoryApiKey: z.string().min(1).optional(),
  /** Models that Droid lists beside the session's own, which is selected. */
  models: z.array(ListedModel).default([]),
  mcpServers: McpServers.default({}),
});
export type DroidOptions = z.infer<typeof DroidOptions>;

/** What a session was given for Droid alone. */
export function readOptions({ options }: Pick<ConnectRequest, "options">): DroidOptions {
  const parsed = DroidOptions.safeParse(options);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const message = `options.${issue?.path.join(".")}: ${issue?.message}`;
  throw new HalyardError("invalid_input", message);
}
