import { z } from "zod";
import type { RequestDraft } from "../../../contracts/event-draft.ts";
import { editedPaths } from "../../../permissions/edited-paths.ts";
import type { RequestOption } from "../../../schema/permission.ts";
import type { Call, Judged } from "../events/calls.ts";
import type { Tool } from "../events/tools.ts";

const count = z.number().int().nonnegative().nullish();

function request<M extends string, S extends z.ZodRawShape>(method: M, params: S) {
  return z.looseObject({ method: z.literal(method), params: z.looseObject(params) });
}

/** A request from a version 1 agent to the client: read or write a file, or create or control a terminal. */
export const ClientRequest = z.discriminatedUnion("method", [
  request("fs/read_text_file", { path: z.string(), line: count, limit: count }),
  request("fs/write_text_file", { path: z.string(), content: z.string() }),
  request("terminal/create", {
    command: z.string().min(1),
    args: z.array(z.string()).nullish(),
    env: z.array(z.looseObject({ name: z.string(), value: z.string() })).nullish(),
    cwd: z.string().nullish(),
    outputByteLimit: count,
  }),
  request("terminal/output", { terminalId: z.string() }),
  request("terminal/wait_for_exit", { terminalId: z.string() }),
  request("terminal/kill", { terminalId: z.string() }),
  request("terminal/release", { terminalId: z.string() }),
]);
export type ClientRequest = z.infer<typeof ClientRequest>;

/** A client request that needs permission. */
export type ChangingRequest = Extract<
  ClientRequest,
  { method: "fs/write_text_file" | "terminal/create" }
>;

/** True if the request writes a file or runs a command. */
export function isChanging(request: ClientRequest): request is ChangingRequest {
  return request.method === "fs/write_text_file" || request.method === "terminal/create";
}

/** Describes a request as one of the agent's tools. */
function toolFor(request: ChangingRequest): Tool {
  if (request.method === "fs/write_text_file") {
    const { path, content } = request.params;
    return { name: "write_text_file", kind: "edit", input: { path, content } };
  }
  const { command, args, cwd } = request.params;
  const line = [command, ...(args ?? [])].join(" ");
  return { name: "terminal", kind: "execute", input: { command: line, ...(cwd && { cwd }) } };
}

/** Builds a permission request for a change, for agents that do not request permission themselves. */
export function changeDraft(nativeId: string, request: ChangingRequest): RequestDraft {
  const tool = toolFor(request);
  const what = request.method === "fs/write_text_file" ? request.params.path : tool.input;
  const text = `${tool.name} ${typeof what === "string" ? what : JSON.stringify(what)}`;
  return { type: "request", nativeId, kind: "permission", text, tool, options: yesOrNo };
}

const yesOrNo: RequestOption[] = [
  { id: "allow", label: "Allow", decision: "allow" },
  { id: "deny", label: "Deny", decision: "deny" },
];

/**
 * Returns the open tool call whose permission request covers this change, or undefined. A covered change needs no second
 * request.
 */
export function coveringCall(request: ChangingRequest, open: readonly Call[]): Call | undefined {
  return open.find(({ judged }) => judged !== undefined && covers(judged, request));
}

/**
 * True if a permission covers a change. Permission for a command covers only that command. Permission for an edit covers
 * only the files that the edit names.
 */
function covers({ kind, input, paths }: Judged, request: ChangingRequest): boolean {
  if (request.method === "fs/write_text_file") {
    const named = [...paths, ...(editedPaths(input) ?? [])];
    return kind === "edit" && named.includes(request.params.path);
  }
  const { command, args } = request.params;
  const judged = commandIn(input);
  return kind === "execute" && judged !== undefined && commandsIn(command, args ?? []).has(judged);
}

function commandIn(input: unknown): string | undefined {
  const { command, args } = Command.safeParse(input).data ?? {};
  if (command === undefined) return undefined;
  return [command, ...(args ?? [])].flat().join(" ");
}

const strings = z.array(z.string());
const Command = z.looseObject({
  command: z.union([z.string(), strings]),
  args: strings.nullish().catch(undefined),
});

/** Returns the command line and, for a shell with `-c` or `-lc`, the script. */
function commandsIn(command: string, args: readonly string[]): ReadonlySet<string> {
  const line = [command, ...args].join(" ");
  const [flag, script, ...more] = args;
  const isShell = /(^|\/)(ba|z|da)?sh$/.test(command) && more.length === 0;
  return new Set(isShell && /^-l?c$/.test(flag ?? "") && script ? [line, script] : [line]);
}
