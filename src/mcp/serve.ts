import type { Readable, Writable } from "node:stream";
import { limitHalyard } from "../permissions/limit-halyard.ts";
import { boundedLines, LONGEST_LINE_BYTES } from "../wire/bounded-lines.ts";
import type { McpContext } from "./context.ts";
import type { McpSdk } from "./sdk.ts";
import { limitTool, type Tool } from "./tool.ts";
import { eventTools } from "./tools/event-tools.ts";
import { fileTools } from "./tools/file-tools.ts";
import { projectTools } from "./tools/project-tools.ts";
import { searchTools } from "./tools/search-tools.ts";
import { sessionTools } from "./tools/session-tools.ts";

/** Streams to the client, and the version that is reported to it. */
export interface McpStreams {
  readonly input: Readable;
  readonly output: Writable;
  readonly version: string;
}

/** Serves the tools on two streams until the client closes its stream. */
export async function serveMcp(
  { McpServer, serveStdio, StdioServerTransport }: McpSdk,
  context: McpContext,
  { input, output, version }: McpStreams,
): Promise<void> {
  const { permissions } = context;
  const halyard = async () => limitHalyard(await context.halyard(), permissions);
  const tools = mcpTools({ ...context, halyard });
  const lines = boundedLines(input, output);
  const transport = new StdioServerTransport(lines, output, {
    maxBufferSize: LONGEST_LINE_BYTES + 1,
  });
  const closed = new Promise<void>((resolve) => {
    lines.once("close", resolve).once("end", resolve);
  });
  const handle = serveStdio(
    () => {
      const server = new McpServer({ name: "halyard", version }, { capabilities: { tools: {} } });
      for (const tool of tools) register(server, tool);
      return server;
    },
    { transport },
  );
  await closed;
  await handle.close();
}

/** Returns all tools, limited by the client's policy. */
function mcpTools(context: McpContext): Tool[] {
  const all = [
    ...projectTools(context),
    ...sessionTools(context),
    ...eventTools(context),
    ...searchTools(context),
    ...fileTools(context),
  ];
  return all.map((tool) => limitTool(tool, context.permissions));
}

function register(server: InstanceType<McpSdk["McpServer"]>, tool: Tool): void {
  const { name, description, input, output, effect } = tool;
  const annotations = { readOnlyHint: effect === "reads", destructiveHint: effect === "destroys" };
  const config = { description, inputSchema: unchecked(input), annotations };
  const call = (given: unknown) => tool.call(given);
  if (output) server.registerTool(name, { ...config, outputSchema: output }, call);
  else server.registerTool(name, config, call);
}

/**
 * Returns the schema for clients without validation. The tool validates its input itself, so that clients get Halyard's
 * errors instead of the SDK's.
 */
function unchecked(schema: Tool["input"]) {
  const { vendor, version, jsonSchema } = schema["~standard"];
  return {
    "~standard": { vendor, version, jsonSchema, validate: (value: unknown) => ({ value }) },
  };
}
