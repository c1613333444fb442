import type { Readable, Writable } from "node:stream";
import { limitHalyard } from "../permissions/limit-halyard.ts";
import type { SessionId } from "../schema/id.ts";
import { boundedLines, LONGEST_LINE_BYTES } from "../wire/bounded-lines.ts";
import type { McpContext } from "./context.ts";
import type { McpSdk } from "./sdk.ts";
import { limitTool, type Tool } from "./tool.ts";
import { eventTools, logTool } from "./tools/event-tools.ts";
import { fileTools } from "./tools/file-tools.ts";
import { projectTools } from "./tools/project-tools.ts";
import { searchTools } from "./tools/search-tools.ts";
import { sessionTools } from "./tools/session-tools.ts";
import { workspaceTools } from "./tools/workspace-tools.ts";

/** Streams to the client, and the version that is reported to it. */
export interface McpStreams {
  readonly input: Readable;
  readonly output: Writable;
  readonly version: string;
}

/** Serves all tools on two streams until the client closes its stream. */
export async function serveMcp(
  sdk: McpSdk,
  context: McpContext,
  streams: McpStreams,
): Promise<void> {
  const halyard = async () => limitHalyard(await context.halyard(), context.permissions);
  await serveTools(sdk, mcpTools({ ...context, halyard }), streams);
}

/** Serves the tool that reads the log of one session, and no other. */
export async function serveLog(
  sdk: McpSdk,
  id: SessionId,
  { halyard, ...streams }: McpStreams & Pick<McpContext, "halyard">,
): Promise<void> {
  await serveTools(sdk, [logTool(id, halyard)], streams);
}

async function serveTools(
  { McpServer, serveStdio, StdioServerTransport }: McpSdk,
  tools: readonly Tool[],
  { input, output, version }: McpStreams,
): Promise<void> {
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
    ...workspaceTools(context),
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
