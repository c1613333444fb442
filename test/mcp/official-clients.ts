import { fileURLToPath } from "node:url";
import {
  Client,
  type JSONRPCMessage,
  StreamableHTTPClientTransport,
  type Transport,
} from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { createTaskSessionFromClient } from "@modelcontextprotocol/ext-tasks/client";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as OldStdio } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as OldHttp } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { onTestFinished } from "vitest";

/** The arguments that start a server, or the URL of a server with its token. */
export type ServerAddress =
  | { readonly args: readonly string[] }
  | { readonly url: string; readonly token: string };

/** Calls a tool and returns its structured result. */
export type CallTool = (
  name: string,
  input: Record<string, unknown>,
  onProgress?: (message: string | undefined) => void,
) => Promise<Record<string, unknown>>;

const info = { name: "test", version: "0" };

/** The official clients by the version of the protocol that they use. */
export const clients: Readonly<Record<string, (address: ServerAddress) => Promise<CallTool>>> = {
  "2025-06-18": async (address) => {
    const client = new Client(info, { supportedProtocolVersions: ["2025-06-18"] });
    return connect(client, address);
  },
  "2025-11-25": async (address) => {
    const client = new OldClient(info);
    const transport =
      "args" in address
        ? new OldStdio({ command: process.execPath, args: [...address.args] })
        : new OldHttp(new URL(address.url), { requestInit: { headers: headersOf(address) } });
    // The types of the old SDK do not distinguish absent from undefined properties.
    await client.connect(transport as Parameters<OldClient["connect"]>[0]);
    onTestFinished(() => client.close());
    return async (name, input, onProgress) => {
      const options = {
        onprogress: ({ message }: { message?: string | undefined }) => onProgress?.(message),
      };
      return resultOf(await client.callTool({ name, arguments: input }, undefined, options));
    };
  },
  "2026-07-28": async (address) =>
    connect(new Client(info, { versionNegotiation: { mode: { pin: "2026-07-28" } } }), address),
};

async function connect(client: Client, address: ServerAddress): Promise<CallTool> {
  await client.connect(transportOf(address));
  onTestFinished(() => client.close());
  return async (name, input, onProgress) => {
    const onprogress = ({ message }: { message?: string | undefined }) => onProgress?.(message);
    return resultOf(await client.callTool({ name, arguments: input }, { onprogress }));
  };
}

function transportOf(address: ServerAddress): Transport {
  if ("args" in address)
    return new StdioClientTransport({ command: process.execPath, args: [...address.args] });
  const requestInit = { headers: headersOf(address) };
  return new StreamableHTTPClientTransport(new URL(address.url), { requestInit });
}

function headersOf({ token }: { readonly token: string }): Record<string, string> {
  return { authorization: `Bearer ${token}` };
}

function resultOf(result: object): Record<string, unknown> {
  const { structuredContent, content } = result as ToolResult;
  return structuredContent ?? JSON.parse(content?.[0]?.text ?? "{}");
}

interface ToolResult {
  readonly structuredContent?: Record<string, unknown>;
  readonly content?: readonly { readonly text: string }[];
}

type Answer = (params: Record<string, unknown>) => { decision: string } | undefined;

/** Connects the official package for tasks, which uses the official client for version 2026-07-28. */
export async function connectTasks(address: ServerAddress, answer: Answer = () => undefined) {
  const protocolVersion = "2026-07-28";
  const client = new Client(info, { versionNegotiation: { mode: { pin: protocolVersion } } });
  const transport = transportOf(address);
  await client.connect(transport);
  const session = createTaskSessionFromClient(client, {
    endpointId: "halyard",
    rawDispatch: rawDispatch(transport),
    v2RequestFraming: {
      protocolVersion,
      clientInfo: info,
      clientCapabilities: { elicitation: {} },
    },
    onInputRequest: async (request) => {
      const content = answer(request.params ?? {});
      // biome-ignore lint/suspicious/noExplicitAny: the type depends on the kind of the request
      return (content ? { action: "accept", content } : { action: "decline" }) as any;
    },
  });
  onTestFinished(async () => {
    await session.close();
    await client.close();
  });
  return session;
}

/** Returns a function that sends requests without the client, which does not support results that are tasks. */
function rawDispatch(transport: Transport) {
  const waiting = new Map<string | number, (message: JSONRPCMessage) => void>();
  const { onmessage } = transport;
  transport.onmessage = (message, extra) => {
    const id = "id" in message && !("method" in message) ? message.id : undefined;
    const resolve = id === undefined ? undefined : waiting.get(id);
    if (resolve) resolve(message);
    else onmessage?.(message, extra);
  };
  // biome-ignore lint/suspicious/noExplicitAny: the JSON of the package and of the SDK have different types
  return async (request: any): Promise<any> => {
    const id = crypto.randomUUID();
    const answered = new Promise<JSONRPCMessage>((resolve) => waiting.set(id, resolve));
    await transport.send({ ...request, jsonrpc: "2.0", id });
    const message = await answered;
    waiting.delete(id);
    if ("error" in message) return { kind: "error", error: message.error };
    return { kind: "result", result: "result" in message ? message.result : {} };
  };
}

const program = fileURLToPath(new URL("fake-server.mjs", import.meta.url));

/** Returns the arguments that start a server on standard input and output. */
export function stdioServer(root: string, policy = "ask"): ServerAddress {
  return { args: [program, root, policy, "answers"] };
}
