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

/** Where and by whom a new session is run. */
export function addPlaceOptions(command: Command): Command {
  return command
    .option("-r, --runtime <name>", "the agent to run (default: halyard.json's, the home's, or pi)")
    .option("--command <line>", "the agent's own command line, for --runtime acp")
    .option("-C, --cwd <directory>", "where the agent works (default: here)")
    .option("--project <id>", "the project it works in, by its rules (see halyard project)")
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

/** Which model an agent uses, and what it may do by itself. */
export function addModelOptions(command: Command): Command {
  return command
    .option("-m, --model <name>", "a name from config/models.json, or the model's own")
    .option("--base-url <url>", "where the model is served")
    .addOption(new Option("--api <api>", "what that endpoint speaks").choices(modelApis))
    .option(
      "--api-key-env <name>",
      "the environment variable that holds its key (default: HALYARD_API_KEY)",
    )
    .addOption(
      new Option(
        "-p, --permissions <policy>",
        "what the agent may do by itself (default: ask)",
      ).choices(permissionPolicies),
    )
    .addOption(new Option("--reasoning <level>", "how hard to think").choices(reasoningLevels));
}

/** Labels and tools of a new session. */
export function addSessionOptions(command: Command): Command {
  return command
    .option("--label <name=value>", "mark the session; may be given several times", addLabel)
    .option("--tools <names>", "offer only these tools, separated by commas", toNames)
    .option("--disable-tools <names>", "offer all tools except these", toNames);
}

function toNames(text: string): string[] {
  const names = text.split(",").map((name) => name.trim());
  if (names.some((name) => name === ""))
    throw new InvalidArgumentError("Expected names separated by commas, such as read,grep.");
  return names;
}

/** `--format` for commands that show a turn. */
export function formatOption(): Option {
  return new Option(
    "--format <format>",
    "text to read, json lines for programs, quiet for the answer only",
  )
    .choices(formats)
    .default("text" satisfies Format);
}

/** `--plain` for commands that show a turn. */
export function plainOption(): Option {
  return new Option("--plain", "no colors, no drawn markdown, no animation (also: NO_COLOR=1)");
}

/** `--format` for commands that list something. */
export function listFormatOption(initial: "text" | "json" = "text"): Option {
  return new Option("--format <format>", "text to read, or json lines for programs")
    .choices(listFormats)
    .default(initial);
}

/** What stands for a session. */
export const SESSION = "its id, the beginning of it, its name, or the agent's own id for it";

export function toPort(text: string): number {
  const port = toCount(text);
  if (port > 65_535) throw new InvalidArgumentError("Expected a port, from 0 to 65535.");
  return port;
}

export function toCount(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError("Expected a whole number.");
  return Number(text);
}

/** A count of something that is asked for: none of it is no answer. */
export function toLimit(text: string): number {
  const limit = toCount(text);
  if (limit === 0) throw new InvalidArgumentError("Expected a whole number above 0.");
  return limit;
}

/** Adds a label to those given before it. */
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

/** What a timer of Node's can hold. */
const MAX_SECONDS = 2_147_483;
