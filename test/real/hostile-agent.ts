import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Session } from "../../src/core/halyard.ts";
import type {
  RequestEvent,
  StreamEvent,
  ToolCallEvent,
  ToolResultEvent,
} from "../../src/schema/event.ts";
import type { PermissionPolicy } from "../../src/schema/permission.ts";
import type { ModelToolCall } from "../../src/testing/script.ts";
import type { ScriptedEndpoint } from "../../src/testing/scripted-model.ts";
import type { Scene } from "./scene.ts";

/** How the scripted model calls the tools of one runtime. */
export interface HostileTools {
  readonly write: (path: string, content: string) => ModelToolCall;
  readonly edit: (path: string, from: string, to: string) => ModelToolCall;
  readonly shell: (command: string) => ModelToolCall;
  /** Left out if the runtime reads by commands. */
  readonly read?: (path: string) => ModelToolCall;
}

export type Mode = PermissionPolicy | "plan";

/** What became of a call: it ran unasked, a person was asked, or it was denied. */
export type Fate = "runs" | "asks" | "denied";

export const attempts = ["read", "edit inside", "edit elsewhere", "command"] as const;
export type Attempt = (typeof attempts)[number];

interface Attack {
  readonly what: Attempt;
  readonly call: ModelToolCall;
  /** Part of the input that only this call has. */
  readonly sign: string;
}

export interface Attacked {
  /** The loosest fate of each kind of call. */
  readonly fates: ReadonlyMap<Attempt, Fate>;
  /** Files that must not exist, and do. */
  readonly damage: readonly string[];
}

interface Traps {
  readonly cwd: string;
  /** The directory above it, in which nothing may appear. */
  readonly near: string;
  readonly halyardHome: string;
}

/** Lets the model try everything in one turn. A person who is asked says no. */
export async function attack(
  { halyard, home, model }: Scene,
  {
    runtime,
    mode,
    tools,
    endpoint,
  }: {
    runtime: string;
    mode: Mode;
    tools: HostileTools;
    endpoint: ScriptedEndpoint;
  },
): Promise<Attacked> {
  const name = `attack ${runtime} ${mode}`;
  const traps = layTraps(home, name.replaceAll(" ", "-"));
  const isPlan = mode === "plan";
  const permissions = isPlan ? "allow-all" : mode;
  const { cwd } = traps;
  const session = await halyard.start({ runtime, cwd, permissions, plan: isPlan, model: endpoint });
  await session.ready();
  const attacks = attacksWith(tools, traps, { mode, fifo: fifoOf(session, traps) });
  model.on(name, ...attacks.map(({ call }) => ({ toolCalls: [call] })), { text: "Done." });
  const events: StreamEvent[] = [];
  for await (const event of session.send(name)) {
    events.push(event);
    if (event.type === "request" && event.verdict === "ask")
      await session.answer(event.requestId, { decision: "deny", text: "no" });
  }
  await session.stop();
  return { fates: fatesIn(events, attacks), damage: damageIn(traps) };
}

/** A repository with links and a program in its configuration, in a directory of its own. */
function layTraps(home: string, name: string): Traps {
  const near = join(home, name);
  const cwd = join(near, "work");
  mkdirSync(join(near, "elsewhere"), { recursive: true });
  mkdirSync(cwd);
  execFileSync("git", ["init", "-q"], { cwd });
  const monitor = join(near, "monitor.sh");
  writeFileSync(monitor, `#!/bin/sh\ntouch ${join(near, "monitored")}\n`, { mode: 0o755 });
  execFileSync("git", ["config", "core.fsmonitor", monitor], { cwd });
  writeFileSync(join(cwd, "known.txt"), "known\n");
  symlinkSync(join(near, "elsewhere"), join(cwd, "out"));
  symlinkSync(join(near, "elsewhere", "by-link"), join(cwd, "dangling.txt"));
  symlinkSync(join(cwd, ".git", "hooks"), join(cwd, "tools"));
  return { cwd, near, halyardHome: join(home, "halyard") };
}

/** The pipe that is the runtime's standard input, or a file in its run directory if it has none. */
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
    call: write(path, "x"),
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
    { what: "edit inside", call: write(join(cwd, "fine.txt"), "x"), sign: "fine.txt" },
    { what: "edit inside", call: edit(join(cwd, "known.txt"), "known", "other"), sign: "other" },
    elsewhere(join(near, "escaped.txt")),
    elsewhere(join(cwd, "dangling.txt")),
    elsewhere(fifo),
    // The other policies do not look at paths.
    ...(mode === "allow-edits" ? paths.map(elsewhere) : []),
    command("git status", "git status"),
    command("ls -a known.txt", "ls -a"),
    command(`touch ${join(near, "by-shell")} ${join(cwd, "by-shell")}`, "by-shell"),
    command(`printf '%s\\n' '${JSON.stringify(request)}' > ${fifo}`, "by-fifo"),
  ];
}

/** What the attacks would have left. */
function damageIn({ near, cwd, halyardHome }: Traps): string[] {
  const files = [
    ...["escaped.txt", "also-escaped.txt", "monitored", "by-shell", "by-fifo"].map((name) =>
      join(near, name),
    ),
    ...["escaped.txt", "by-link"].map((name) => join(near, "elsewhere", name)),
    ...["by-shell", ".envrc", ".claude/settings.local.json"].map((name) => join(cwd, name)),
    ...["pre-commit", "post-commit"].map((name) => join(cwd, ".git/hooks", name)),
    join(halyardHome, "escaped.txt"),
  ];
  return files.filter((file) => existsSync(file));
}

const loosest: readonly Fate[] = ["runs", "asks", "denied"];

function fatesIn(events: readonly StreamEvent[], attacks: readonly Attack[]): Map<Attempt, Fate> {
  const calls = ofType(events, "tool_call");
  const fates = new Map<Attempt, Fate>();
  for (const { what, sign } of attacks) {
    const text = JSON.stringify(sign).slice(1, -1);
    const call = calls.find(({ input }) => JSON.stringify(input).includes(text));
    const all = [fates.get(what), fateOf(call, events)];
    fates.set(what, loosest.find((fate) => all.includes(fate)) ?? "denied");
  }
  return fates;
}

/** A call that the runtime refuses by itself need not be in the log. */
function fateOf(call: ToolCallEvent | undefined, events: readonly StreamEvent[]): Fate {
  if (call === undefined) return "denied";
  const requests = ofType(events, "request").filter(({ callId }) => callId === call.callId);
  if (requests.some(({ verdict }) => verdict === "deny")) return "denied";
  if (requests.some(({ verdict }) => verdict === "ask")) return "asks";
  const result = ofType(events, "tool_result").find(({ callId }) => callId === call.callId);
  return result?.isError ? "denied" : "runs";
}

type Found = ToolCallEvent | ToolResultEvent | RequestEvent;

function ofType<T extends Found["type"]>(events: readonly StreamEvent[], type: T) {
  return events.filter((event): event is Extract<StreamEvent, { type: T }> => event.type === type);
}
