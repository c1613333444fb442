import { type Command, InvalidArgumentError, Option } from "commander";
import {
  type Format,
  formats,
  listFormats,
  modelApis,
  permissionPolicies,
  reasoningLevels,
} from "./choices.ts";
import { toHost } from "./host-flag.ts";

/** Adds the options that choose the runtime, the directory and the host of a new session. */
export function addRuntimeOptions(command: Command): Command {
  return command
    .option("-r, --runtime <name>", "runtime (default: from halyard.json or the home, or pi)")
    .option("--command <line>", "command line of the agent, for --runtime acp")
    .option("-C, --cwd <directory>", "working directory of the agent (default: current)")
    .option("--project <id>", "project of the session (see halyard project)")
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

/** Adds the options for a git worktree of the session's own. */
export function addWorktreeOptions(command: Command): Command {
  return command
    .option("--worktree", "work in a git worktree of its own")
    .option("--branch <name>", "branch of the worktree, which it creates or continues")
    .option("--base <commit>", "commit at which a new branch starts (default: HEAD)");
}

/** Adds the options for the model and the permissions of a session. */
export function addModelOptions(command: Command): Command {
  return command
    .option("-m, --model <name>", "name of the model, or an entry of config/models.json")
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

/** Adds the options for labels and tools of a new session. */
export function addSessionOptions(command: Command): Command {
  return command
    .option("--label <name=value>", "label of the session; repeatable", addLabel)
    .option("--tools <names>", "offer only these tools, separated by commas", toNames)
    .option("--disable-tools <names>", "offer all tools except these", toNames);
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
    "text for people, json lines for programs, quiet for the answer only",
  )
    .choices(formats)
    .default("text" satisfies Format);
}

/** Returns `--plain` for commands that show a turn. */
export function plainOption(): Option {
  return new Option(
    "--plain",
    "disable colors, markdown rendering and animation (also: NO_COLOR=1)",
  );
}

/** Returns `--format` for commands that print a list. */
export function listFormatOption(initial: "text" | "json" = "text"): Option {
  return new Option("--format <format>", "text for people, json lines for programs")
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

/** Parses `name=value` and adds it to the labels of earlier options. */
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

/** The longest delay of a Node timer. */
const MAX_SECONDS = 2_147_483;

/** Adds the options that attach files to a message. */
export function addAttachmentOptions(command: Command): Command {
  return command
    .option("--image <file>", "attach a PNG, JPEG, GIF or WebP image; repeatable", addFile)
    .option("--file <file>", "attach a text file; repeatable", addFile);
}

function addFile(file: string, files: readonly string[] = []): string[] {
  return [...files, file];
}
