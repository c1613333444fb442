import type { Readable, Writable } from "node:stream";
import type { ServerContext } from "@modelcontextprotocol/server";
import type { SessionId } from "../schema/id.ts";
import { boundedLines, LONGEST_LINE_BYTES } from "../wire/bounded-lines.ts";
import { callContext, TASKS } from "./call-context.ts";
import type { McpContext } from "./context.ts";
import { McpSession } from "./mcp-session.ts";
import type { McpSdk } from "./sdk.ts";
import { addTaskMethods } from "./tasks/task-methods.ts";
import { limitTool, type Tool } from "./tool.ts";
import { conversationTools } from "./tools/conversation-tools.ts";
import { eventTools, logTool } from "./tools/event-tools.ts";
import { fileTools } from "./tools/file-tools.ts";
import { projectTools } from "./tools/project-tools.ts";
import { raceTools } from "./tools/race-tools.ts";
import { searchTools } from "./tools/search-tools.ts";
import { sessionTools } from "./tools/session-tools.ts";
import { turnTools } from "./tools/turn-tools.ts";
import { workspaceTools } from "./tools/workspace-tools.ts";

/** The streams to the client, and the version that is reported to the client. */
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
  const session = new McpSession(context);
  await serveTools(sdk, mcpTools(session), { ...streams, session });
}

/** Serves only the tool that reads the log of one session, until the client closes its stream. */
export async function serveLog(
  sdk: McpSdk,
  id: SessionId,
  { halyard, ...streams }: McpStreams & Pick<McpContext, "halyard">,
): Promise<void> {
  await serveTools(sdk, [logTool(id, halyard)], streams);
}

async function serveTools(
  sdk: McpSdk,
  tools: readonly Tool[],
  { input, output, ...options }: McpStreams & McpServerOptions,
): Promise<void> {
  const { serveStdio, StdioServerTransport } = sdk;
  const lines = boundedLines(input, output);
  const transport = new StdioServerTransport(lines, output, {
    maxBufferSize: LONGEST_LINE_BYTES + 1,
  });
  const closed = new Promise<void>((resolve) => {
    lines.once("close", resolve).once("end", resolve);
  });
  const handle = serveStdio(() => createMcpServer(sdk, tools, options), { transport });
  await closed;
  await handle.close();
}

export interface McpServerOptions {
  readonly version: string;
  /** The client's rights. If omitted, the server does not support tasks. */
  readonly session?: McpSession;
}

/** Creates an SDK server with these tools, for clients of all supported protocol versions. */
export function createMcpServer(
  { McpServer, ProtocolError }: McpSdk,
  tools: readonly Tool[],
  { version, session }: McpServerOptions,
): InstanceType<McpSdk["McpServer"]> {
  const extensions = session && { extensions: { [TASKS]: {} } };
  const server = new McpServer(
    { name: "halyard", version },
    { capabilities: { tools: {}, ...extensions } },
  );
  for (const tool of tools) register(server, tool);
  if (session) addTaskMethods(server, session, ProtocolError);
  return server;
}

/** Returns all tools, limited by the client's policy. */
export function mcpTools(session: McpSession): Tool[] {
  const context = { ...session.context, halyard: () => session.halyard() };
  const all = [
    ...projectTools(context),
    ...sessionTools(session),
    ...turnTools(session),
    ...conversationTools(session),
    ...eventTools(context),
    ...searchTools(context),
    ...workspaceTools(session),
    ...raceTools(session),
    ...fileTools(context),
  ];
  return all.map((tool) => limitTool(tool, context.permissions));
}

function register(server: InstanceType<McpSdk["McpServer"]>, tool: Tool): void {
  const { name, description, input, output, effect } = tool;
  const annotations = { readOnlyHint: effect === "reads", destructiveHint: effect === "destroys" };
  const config = { description, inputSchema: unchecked(input), annotations };
  const call = (given: unknown, context: ServerContext) => tool.call(given, callContext(context));
  if (output) server.registerTool(name, { ...config, outputSchema: output }, call);
  else server.registerTool(name, config, call);
}

/**
 * Returns a schema that clients can read but that the SDK does not enforce. The tool validates its input itself, so
 * that clients receive Halyard's errors instead of the SDK's.
 */
function unchecked(schema: Tool["input"]) {
  const { vendor, version, jsonSchema } = schema["~standard"];
  return {
    "~standard": { vendor, version, jsonSchema, validate: (value: unknown) => ({ value }) },
  };
}
