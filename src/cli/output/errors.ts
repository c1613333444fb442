import type { ErrorCode, ErrorInfo } from "../../schema/error.ts";
import type { Colors } from "./colors.ts";

/** An error for people: what went wrong, and what to do about it. */
export function errorText({ code, message }: ErrorInfo, colors: Colors): string {
  const [first, ...rest] = message.split("\n");
  const title = `${colors.red("error:")} ${first} ${colors.dim(`(${code})`)}`;
  const hint = hints[code];
  return `${[title, ...rest, ...(hint ? [colors.dim(hint)] : [])].join("\n")}\n`;
}

/** The same for programs: one line, in the words of the event schema. */
export function errorLine(error: ErrorInfo): string {
  return `${JSON.stringify({ type: "error", ...error })}\n`;
}

const hints: Readonly<Partial<Record<ErrorCode, string>>> = {
  unknown_runtime: "halyard runtime list shows the runtimes.",
  session_not_found: "halyard sessions lists the sessions.",
  session_owned: 'Run "halyard events ID --follow" to watch it.',
  invalid_config: "Nothing was started.",
  store_locked: "Try again, or set HALYARD_HOME to another directory.",
};
