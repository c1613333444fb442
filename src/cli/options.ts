import { InvalidArgumentError, Option } from "commander";
import { type Format, formats, listFormats } from "./choices.ts";

/** `--format` for commands that show a turn. */
export function formatOption(): Option {
  return new Option(
    "--format <format>",
    "text to read, json lines for programs, quiet for the answer only",
  )
    .choices(formats)
    .default("text" satisfies Format);
}

/** `--format` for commands that list something. */
export function listFormatOption(initial: "text" | "json" = "text"): Option {
  return new Option("--format <format>", "text to read, or json lines for programs")
    .choices(listFormats)
    .default(initial);
}

export function toCount(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError("Expected a whole number.");
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
