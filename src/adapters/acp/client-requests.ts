import { z } from "zod";
import type { RequestDraft } from "../../core/draft.ts";
import { editedPaths } from "../../core/edited-paths.ts";
import type { RequestOption } from "../../schema/permission.ts";
import type { Call, Judged } from "./calls.ts";
import type { Tool } from "./tools.ts";

const count = z.number().int().nonnegative().nullish();

function ask<M extends string, S extends z.ZodRawShape>(method: M, params: S) {
  return z.looseObject({ method: z.literal(method), params: z.looseObject(params) });
}

/** What an agent of version 1 may have us do for it. */
export const ClientRequest = z.discriminatedUnion("method", [
  ask("fs/read_text_file", { path: z.string(), line: count, limit: count }),
  ask("fs/write_text_file", { path: z.string(), content: z.string() }),
  ask("terminal/create", {
    command: z.string().min(1),
    args: z.array(z.string()).nullish(),
    env: z.array(z.looseObject({ name: z.string(), value: z.string() })).nullish(),
    cwd: z.string().nullish(),
    outputByteLimit: count,
  }),
  ask("terminal/output", { terminalId: z.string() }),
  ask("terminal/wait_for_exit", { terminalId: z.string() }),
  ask("terminal/kill", { terminalId: z.string() }),
  ask("terminal/release", { terminalId: z.string() }),
]);
export type ClientRequest = z.infer<typeof ClientRequest>;

/** One that changes something. */
export type ChangingRequest = Extract<
  ClientRequest,
  { method: "fs/write_text_file" | "terminal/create" }
>;

export function isChanging(request: ClientRequest): request is ChangingRequest {
  return request.method === "fs/write_text_file" || request.method === "terminal/create";
}

/** What it is as a tool of the agent's. */
function toolFor(request: ChangingRequest): Tool {
  if (request.method === "fs/write_text_file") {
    const { path, content } = request.params;
    return { name: "write_text_file", kind: "edit", input: { path, content } };
  }
  const { command, args, cwd } = request.params;
  const line = [command, ...(args ?? [])].join(" ");
  return { name: "terminal", kind: "execute", input: { command: line, ...(cwd && { cwd }) } };
}

/** Asks for permission to do it, for an agent that has not. */
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

/** The call under way that permission was asked for, and of which this is a part: it need not be asked twice. */
export function coveringCall(request: ChangingRequest, open: readonly Call[]): Call | undefined {
  return open.find(({ judged }) => judged !== undefined && covers(judged, request));
}

/** Permission for a command covers that command, and permission for an edit covers the files that it named. */
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

const words = z.array(z.string());
const Command = z.looseObject({
  command: z.union([z.string(), words]),
  args: words.nullish().catch(undefined),
});

/** The command line, and what a shell is given to run. */
function commandsIn(command: string, args: readonly string[]): ReadonlySet<string> {
  const line = [command, ...args].join(" ");
  const [flag, script, ...more] = args;
  const isShell = /(^|\/)(ba|z|da)?sh$/.test(command) && more.length === 0;
  return new Set(isShell && /^-l?c$/.test(flag ?? "") && script ? [line, script] : [line]);
}
