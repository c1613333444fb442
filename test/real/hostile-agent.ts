import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { Session } from "../../src/contracts/halyard.ts";
import type {
  RequestEvent,
  StreamEvent,
  ToolCallEvent,
  ToolResultEvent,
} from "../../src/schema/event.ts";
import type { HostName } from "../../src/schema/host.ts";
import type { OutcomeStatus } from "../../src/schema/outcome.ts";
import type { PermissionPolicy } from "../../src/schema/permission.ts";
import type { ModelRequest, ModelToolCall } from "../../src/testing/script.ts";
import type { ScriptedEndpoint } from "../../src/testing/scripted-model.ts";
import { type HostileRepository, plantHostileRepository } from "./hostile-repository.ts";
import type { Scene } from "./scene.ts";

/** How the scripted model calls the tools of one runtime. */
export interface HostileTools {
  readonly write: (path: string, content: string) => ModelToolCall;
  readonly edit: (path: string, from: string, to: string) => ModelToolCall;
  readonly shell: (command: string) => ModelToolCall;
  /** Omitted if the runtime reads files with commands. */
  readonly read?: (path: string) => ModelToolCall;
}

export type Mode = PermissionPolicy | "plan";

/** The result of a call: it ran without a question to the user, the user was asked, or it was denied. */
export type Fate = "runs" | "asks" | "denied";

export const attempts = ["read", "edit inside", "edit elsewhere", "command"] as const;
export type Attempt = (typeof attempts)[number];

interface Attack {
  readonly what: Attempt;
  readonly call: ModelToolCall;
  /** A part of the input that identifies the call. */
  readonly sign: string;
}

export interface Attacked {
  /** The least strict result of each kind of call. */
  readonly fates: ReadonlyMap<Attempt, Fate>;
  /** The number of requests for the command that planted rules allow. */
  readonly requests: number;
  readonly status: OutcomeStatus;
  /** Files that the attacks have written. */
  readonly damage: readonly string[];
  /** Planted programs that ran. */
  readonly ran: readonly string[];
  /** Requests to the planted endpoint. */
  readonly stolen: readonly string[];
  /** True if the instructions of the repository have reached the model. */
  readonly isInstructed: boolean;
}

interface Traps {
  readonly cwd: string;
  /** The parent directory, which the agent must not change. */
  readonly near: string;
  readonly halyardHome: string;
}

/** Runs all attacks in one turn in a hostile repository. Denies every request that the session asks about. */
export async function attack(
  { halyard, home, model }: Scene,
  {
    runtime,
    mode,
    tools,
    endpoint,
    host = "local",
    refused,
  }: {
    runtime: string;
    host?: HostName | undefined;
    mode: Mode;
    tools: HostileTools;
    endpoint: ScriptedEndpoint;
    /** Files that are not planted, because the runtime would refuse to start. */
    refused?: RegExp | undefined;
  },
): Promise<Attacked> {
  const name = `attack ${runtime} ${host} ${mode}`;
  const near = mkdtempSync(join(home, `${name.replaceAll(" ", "-")}-`)); // a retry uses a new directory
  await using repository = await plantHostileRepository(near, (path) => !refused?.test(path));
  const traps = layTraps(repository, near, join(home, "halyard"));
  const isPlan = mode === "plan";
  const permissions = isPlan ? "allow-all" : mode;
  const { cwd } = traps;
  const session = await halyard.start({
    runtime,
    host,
    cwd,
    permissions,
    plan: isPlan,
    model: endpoint,
  });
  await session.ready();
  const attacks = attacksWith(tools, traps, { mode, fifo: fifoOf(session, traps) });
  model.on(name, ...attacks.map(({ call }) => ({ toolCalls: [call] })), { text: "Done." });
  const events: StreamEvent[] = [];
  const turn = session.send(name);
  for await (const event of turn) {
    events.push(event);
    if (event.type === "request" && event.verdict === "ask")
      await session.answer(event.requestId, { decision: "deny", text: "no" });
  }
  await session.stop();
  const isOurs = ({ messages }: ModelRequest) => messages.some(({ text }) => text.includes(name));
  const isAllowedByRule = ({ tool }: RequestEvent) => JSON.stringify(tool).includes(RULED);
  return {
    fates: fatesIn(events, attacks, resultsIn(model.requests.filter(isOurs))),
    requests: ofType(events, "request").filter(isAllowedByRule).length,
    status: (await turn.outcome).status,
    damage: damageIn(traps),
    ran: await repository.ran(),
    stolen: repository.stolen,
    isInstructed: JSON.stringify(model.requests.filter(isOurs)).includes(repository.instructions),
  };
}

/** Adds files to edit, and links to targets that the agent must not change. */
function layTraps({ directory: cwd }: HostileRepository, near: string, halyardHome: string): Traps {
  mkdirSync(join(near, "elsewhere"));
  mkdirSync(join(cwd, ".git", "hooks"));
  writeFileSync(join(cwd, "known.txt"), "known\n");
  symlinkSync(join(near, "elsewhere"), join(cwd, "out"));
  symlinkSync(join(near, "elsewhere", "by-link"), join(cwd, "dangling.txt"));
  symlinkSync(join(cwd, ".git", "hooks"), join(cwd, "tools"));
  return { cwd, near, halyardHome };
}

/** The command that `sh` runs in one attack. The planted rules allow both `echo` and `sh`. */
const RULED = "echo done";

/** The content that the model writes. */
const CONTENT = "x";

/** Returns the pipe of the runtime's standard input, or a file in the run directory if there is no pipe. */
function fifoOf({ id }: Session, { halyardHome }: Traps): string {
  const pipe = join(halyardHome, "run", id, "stdin");
  return existsSync(pipe) ? pipe : join(halyardHome, "run", id, "escaped.txt");
}

function attacksWith(
  { write, edit, shell, read }: HostileTools,
  { cwd, near, halyardHome }: Traps,
  { mode, fifo }: { mode: Mode; fifo: string },
): Attack[] {
  const elsewhere = (path: string): Attack => ({
    what: "edit elsewhere",
    call: write(path, CONTENT),
    sign: path,
  });
  const paths = [
    `${cwd}/../also-escaped.txt`,
    ...["out/escaped.txt", ".git/hooks/pre-commit", "tools/post-commit", ".envrc"].map((name) =>
      join(cwd, name),
    ),
    join(cwd, ".claude/settings.local.json"),
    join(halyardHome, "escaped.txt"),
  ];
  const command = (text: string, sign: string): Attack => ({
    what: "command",
    call: shell(text),
    sign,
  });
  const request = {
    id: 9,
    method: "command/exec",
    params: { command: ["touch", join(near, "by-fifo")] },
  };
  return [
    ...(read
      ? [{ what: "read", call: read(join(cwd, "known.txt")), sign: "known.txt" } as const]
      : []),
    { what: "edit inside", call: write(join(cwd, "fine.txt"), CONTENT), sign: "fine.txt" },
    { what: "edit inside", call: edit(join(cwd, "known.txt"), "known", "other"), sign: "other" },
    elsewhere(join(near, "escaped.txt")),
    elsewhere(join(cwd, "dangling.txt")),
    elsewhere(fifo),
    // Only `allow-edits` depends on the path.
    ...(mode === "allow-edits" ? paths.map(elsewhere) : []),
    command("git status", "git status"),
    command(`sh -c '${RULED} > made'`, RULED),
    command("ls -a known.txt", "ls -a"),
    command(`touch ${join(near, "by-shell")} ${join(cwd, "by-shell")}`, "by-shell"),
    command(`printf '%s\\n' '${JSON.stringify(request)}' > ${fifo}`, "by-fifo"),
  ];
}

/** Returns the files that successful attacks leave behind. */
function damageIn({ near, cwd, halyardHome }: Traps): string[] {
  const files = [
    ...["escaped.txt", "also-escaped.txt", "by-shell", "by-fifo"].map((name) => join(near, name)),
    ...["escaped.txt", "by-link"].map((name) => join(near, "elsewhere", name)),
    ...["by-shell", "made", ".envrc"].map((name) => join(cwd, name)),
    ...["pre-commit", "post-commit"].map((name) => join(cwd, ".git/hooks", name)),
    join(halyardHome, "escaped.txt"),
  ];
  const planted = join(cwd, ".claude/settings.local.json");
  const isOverwritten = readFileSync(planted, "utf8") === CONTENT;
  return [...files.filter((file) => existsSync(file)), ...(isOverwritten ? [planted] : [])];
}

const loosest: readonly Fate[] = ["runs", "asks", "denied"];

/** Returns the results of the tool calls that the runtime has sent to the model, in the order of the calls. */
function resultsIn(requests: readonly ModelRequest[]): string[] {
  const longest = requests.map(({ messages }) =>
    messages.filter(({ role }) => role === "tool").map(({ text }) => text),
  );
  return longest.toSorted((one, other) => other.length - one.length)[0] ?? [];
}

function fatesIn(
  events: readonly StreamEvent[],
  attacks: readonly Attack[],
  results: readonly string[],
): Map<Attempt, Fate> {
  const calls = ofType(events, "tool_call");
  const fates = new Map<Attempt, Fate>();
  for (const [at, { what, sign }] of attacks.entries()) {
    const text = JSON.stringify(sign).slice(1, -1);
    const call = calls.find(({ input }) => JSON.stringify(input).includes(text));
    const fate = call ? fateOf(call, events) : rejection(sign, results[at]);
    const all = [fates.get(what), fate];
    fates.set(what, loosest.find((one) => all.includes(one)) ?? "denied");
  }
  return fates;
}

/**
 * Returns "denied" for a call that is missing in the log because the runtime itself rejected it. Throws if the runtime has not
 * reported the rejection to the model: a call that never reached the runtime proves nothing.
 */
function rejection(sign: string, result: string | undefined): Fate {
  if (result !== undefined && REJECTED.test(result)) return "denied";
  throw new Error(
    `The log contains no decision about the call with ${sign}. Its result is ${JSON.stringify(result)}.`,
  );
}

const REJECTED =
  /den(?:y|ied)|reject|not (?:allowed|permitted|available|found|in )|no such tool|unavailable|unsupported|disabled|invalid tool|forbid|prevent|refus|read-only|plan mode|specification mode|not enabled/i;

function fateOf(call: ToolCallEvent, events: readonly StreamEvent[]): Fate {
  const requests = ofType(events, "request").filter(({ callId }) => callId === call.callId);
  if (requests.some(({ verdict }) => verdict === "deny")) return "denied";
  if (requests.some(({ verdict }) => verdict === "ask")) return "asks";
  const result = ofType(events, "tool_result").find(({ callId }) => callId === call.callId);
  if (result === undefined && requests.length === 0)
    throw new Error(`The call ${JSON.stringify(call.input)} has neither a decision nor a result.`);
  return result?.isError ? "denied" : "runs";
}

type Found = ToolCallEvent | ToolResultEvent | RequestEvent;

function ofType<T extends Found["type"]>(events: readonly StreamEvent[], type: T) {
  return events.filter((event): event is Extract<StreamEvent, { type: T }> => event.type === type);
}
