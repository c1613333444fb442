import { type Command, InvalidArgumentError, Option } from "commander";
import type { Budget } from "../schema/budget.ts";
import type { OnLimit } from "../schema/usage-limit.ts";
import {
  type Format,
  formats,
  listFormats,
  modelApis,
  notifyModes,
  permissionPolicies,
  reasoningLevels,
} from "./choices.ts";
import { toHost } from "./host-flag.ts";

/**
 * Adds the options that choose the runtime, the directory and the host of a new session. `onNote` is appended to the
 * description of `--on`.
 */
export function addRuntimeOptions(command: Command, onNote = ""): Command {
  return command
    .option("-r, --runtime <name>", "runtime (default: as configured, otherwise pi)")
    .option("--command <line>", "command line of the agent, for --runtime acp")
    .option(
      "--url <address>",
      "address of a remote agent for --runtime acp, such as wss://host/acp",
    )
    .option("-C, --cwd <directory>", "working directory of the agent (default: current)")
    .option(
      "--from <id>",
      'continue a copy of a session that the runtime recorded without Halyard (see "halyard runtime sessions")',
    )
    .option(
      "--on <machine>",
      `machine for the session: a name from "halyard host list", or a label or name in the cluster${onNote}`,
    )
    .option("--repo <url>", "clone this git repository for the session")
    .option(
      "--ref <ref>",
      "branch, tag or commit of --repo (default: the repository's default branch)",
    )
    .option("--upload", "copy the files in this directory to the session's machine")
    .option("--project <id>", 'project of the session (see "halyard project --help")')
    .option(
      "--host <host>",
      "local, tmux, container or container:image (default: as configured)",
      toHost,
    )
    .option(
      "--network <name>",
      'container network; "none" blocks everything except the model endpoint',
    );
}

/** Adds the options for a session in its own git worktree. */
export function addWorktreeOptions(command: Command): Command {
  return command
    .option("--worktree", "work in a separate git worktree")
    .option("--branch <name>", "branch of the worktree; created if it does not exist")
    .option("--base <commit>", "commit at which a new branch starts (default: HEAD)");
}

/** Adds the options for the model and the permissions of a session. */
export function addModelOptions(command: Command): Command {
  return command
    .option("-m, --model <name>", "name of the model, or an entry in config/models.json")
    .option("--base-url <url>", "URL of the model endpoint")
    .addOption(new Option("--api <api>", "API of the model endpoint").choices(modelApis))
    .option(
      "--api-key-env <name>",
      "environment variable that holds the key (default: HALYARD_API_KEY)",
    )
    .addOption(
      new Option(
        "-p, --permissions <policy>",
        "actions allowed without asking (default: as configured, otherwise ask; allow-all in containers)",
      ).choices(permissionPolicies),
    )
    .addOption(new Option("--reasoning <level>", "reasoning effort").choices(reasoningLevels));
}

/** Adds the options for the labels, usage limits, budget and tools of a new session. */
export function addSessionOptions(command: Command): Command {
  return command
    .option("--label <name=value>", "label of the session; repeatable", addLabel)
    .option(
      "--on-limit <action>",
      "at a usage limit: fail, wait until it resets, or handoff:<runtime> (default: as configured, otherwise fail)",
      toOnLimit,
    )
    .option(
      "--budget <amounts>",
      "ask when the session has used one of these amounts, such as 5usd,2000000tokens,60min (default: as configured)",
      toBudget,
    )
    .option("--tools <names>", "offer only these tools, separated by commas", toNames)
    .option(
      "--disable-tools <names>",
      "offer all tools except these, separated by commas",
      toNames,
    );
}

function toBudget(text: string): Budget {
  const budget: Budget = {};
  for (const part of text.split(",")) {
    const [, number, unit = ""] = /^\s*(\d+(?:\.\d+)?)\s*([a-z$]+)\s*$/i.exec(part) ?? [];
    const name = budgetUnits.get(unit.toLowerCase());
    const amount = Number(number);
    if (name !== undefined && budget[name] !== undefined)
      throw new InvalidArgumentError(`Expected one amount in ${unit}, not two.`);
    if (name === undefined || !(amount > 0) || (name === "tokens" && !Number.isInteger(amount)))
      throw new InvalidArgumentError(
        "Expected amounts separated by commas, such as 5usd, 2000000tokens or 60min.",
      );
    budget[name] = amount;
  }
  return budget;
}

const budgetUnits = new Map([
  ["usd", "costUsd"],
  ["tokens", "tokens"],
  ["min", "minutes"],
  ["minutes", "minutes"],
] as const) as ReadonlyMap<string, keyof Budget>;

function toOnLimit(text: string): OnLimit {
  if (text === "fail" || text === "wait") return text;
  const [, handoff] = /^handoff:([a-z][\w-]*)$/.exec(text) ?? [];
  if (handoff !== undefined) return { handoff };
  throw new InvalidArgumentError("Expected fail, wait, or handoff:RUNTIME.");
}

function toNames(text: string): string[] {
  const names = text.split(",").map((name) => name.trim());
  if (names.some((name) => name === ""))
    throw new InvalidArgumentError("Expected names separated by commas, such as read,grep.");
  return names;
}

/** Returns `--format` for commands that show a turn. */
export function formatOption(): Option {
  return new Option(
    "--format <format>",
    "text for reading, json for one event per line, quiet for only the answer",
  )
    .choices(formats)
    .default("text" satisfies Format);
}

/** Returns `--plain` for commands that show a turn. */
export function plainOption(): Option {
  return new Option(
    "--plain",
    "disable colors, Markdown rendering and animation (also: NO_COLOR=1)",
  );
}

/** Returns `--format` for commands that print a list. */
export function listFormatOption(initial: "text" | "json" = "text"): Option {
  return new Option("--format <format>", "text for reading, json for one JSON value per line")
    .choices(listFormats)
    .default(initial);
}

/** The description of a session argument. */
export const SESSION = "session id, start of an id, name, or the runtime's own id";

export function toPort(text: string): number {
  const port = toCount(text);
  if (port > 65_535) throw new InvalidArgumentError("Expected a port, from 0 to 65535.");
  return port;
}

export function toCount(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError("Expected a whole number.");
  return Number(text);
}

/** Parses a maximum number of results, at least 1. */
export function toLimit(text: string): number {
  const limit = toCount(text);
  if (limit === 0) throw new InvalidArgumentError("Expected a whole number above 0.");
  return limit;
}

/** The description of a time that `toTime` parses. */
export const TIME = "an age such as 12h or 7d, or a date such as 2026-11-10";

/** Parses an age, a day in UTC, or a time, and returns the time in ISO format. */
export function toTime(text: string, now: Date = new Date()): string {
  const [, count, unit = ""] = /^(\d{1,6})([mhdw])$/.exec(text) ?? [];
  if (count !== undefined)
    return new Date(now.getTime() - Number(count) * (unitMs[unit] ?? 0)).toISOString();
  const time = /^\d{4}-\d{2}-\d{2}(T\S+)?$/.test(text) ? new Date(text) : undefined;
  if (time === undefined || Number.isNaN(time.getTime()))
    throw new InvalidArgumentError(`Expected ${TIME}.`);
  return time.toISOString();
}

const unitMs: Readonly<Record<string, number>> = {
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/** Creates the option for console notifications. */
export function notifyOption(): Option {
  return new Option(
    "--notify <how>",
    "notify you when the agent needs an answer or a turn ends; auto omits turns under 10 s",
  )
    .choices(notifyModes)
    .env("HALYARD_NOTIFY")
    .default("auto");
}

/** Parses `name=value` and adds it to the labels from earlier options. */
export function addLabel(
  text: string,
  labels: Record<string, string> = {},
): Record<string, string> {
  const [, name, value] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined)
    throw new InvalidArgumentError("Expected a label such as team=docs.");
  return { ...labels, [name]: value };
}

export function toAmount(text: string): number {
  if (!/^\d{1,9}(\.\d{1,6})?$/.test(text))
    throw new InvalidArgumentError("Expected an amount such as 5 or 0.50.");
  return Number(text);
}

export function toSeconds(text: string): number {
  const seconds = Number(text);
  if (text.trim() === "" || !(seconds > 0) || seconds > MAX_SECONDS)
    throw new InvalidArgumentError(`Expected a number of seconds above 0, at most ${MAX_SECONDS}.`);
  return seconds;
}

/** The longest delay of a Node timer, in seconds. */
const MAX_SECONDS = 2_147_483;

/** Adds the options for a message's attachments and for the schema of its answer. */
export function addAttachmentOptions(command: Command): Command {
  return command
    .option("--image <file>", "attach a PNG, JPEG, GIF or WebP image; repeatable", addFile)
    .option("--file <file>", "attach a text file; repeatable", addFile)
    .option(
      "--schema <file>",
      "JSON Schema for the answer; --format quiet prints the validated JSON value",
    );
}

function addFile(file: string, files: readonly string[] = []): string[] {
  return [...files, file];
}
