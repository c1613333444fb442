import type { ErrorCode, ErrorInfo } from "../../schema/error.ts";
import type { Colors } from "../text/colors.ts";

/** Formats an error as text, with a hint for its code unless the message already names a command. */
export function errorText({ code, message }: ErrorInfo, colors: Colors): string {
  const [first, ...rest] = message.split("\n");
  const title = `${colors.red("error:")} ${first} ${colors.dim(`(${code})`)}`;
  const hint = HINTED.test(message) ? undefined : hints[code];
  return `${[title, ...rest, ...(hint ? [colors.dim(hint)] : [])].join("\n")}\n`;
}

/** Formats an error as a line of JSON, in the form of an error event. */
export function errorLine(error: ErrorInfo): string {
  return `${JSON.stringify({ type: "error", ...error })}\n`;
}

/** A message that matches already names the command to type. */
const HINTED = /\brun "halyard /i;

const hints: Readonly<Partial<Record<ErrorCode, string>>> = {
  unknown_runtime: 'Run "halyard runtime list" to list runtimes.',
  session_not_found: 'Run "halyard sessions" to list sessions.',
  not_resumable: 'Run "halyard run PROMPT" to start a new session.',
  invalid_config: "Nothing was started. Correct the setting and try again.",
  store_locked: "Try again, or set HALYARD_HOME to another directory.",
};
