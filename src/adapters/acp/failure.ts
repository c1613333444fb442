import { errorInfo } from "../../core/error.ts";
import { plainWords } from "../../core/plain-words.ts";
import type { ErrorInfo } from "../../schema/error.ts";
import type { RpcError } from "./messages.ts";

/** JSON-RPC's words for what ACP agents have in common. */
export const AUTH_REQUIRED = -32000;
export const INVALID_PARAMS = -32602;

/** An agent's failure as an outcome tells it. */
export function failureOf(error: RpcError | undefined): ErrorInfo {
  const code = error?.code === AUTH_REQUIRED ? "not_signed_in" : "agent_failed";
  const message = (error && wordsOf(error)) || "the agent failed and did not say why";
  return errorInfo(code, message);
}

/** The agent's own words: some wrap them up in a general remark, and have them in what goes with it. */
export function wordsOf({ message, data }: RpcError): string {
  const plain = plainWords(message.replace(/^Internal error:?\s*/i, ""));
  const details = typeof data === "string" ? data : wordsIn(data);
  if (details === undefined || plain.includes(details)) return plain || message;
  return plain === "" ? details : `${plain}: ${details}`;
}

function wordsIn(data: unknown): string | undefined {
  if (typeof data !== "object" || data === null) return undefined;
  for (const name of ["details", "message", "error", "reason", "data"]) {
    const inner: unknown = Reflect.get(data, name);
    const words = typeof inner === "string" ? inner : wordsIn(inner);
    if (words !== undefined) return words;
  }
  return undefined;
}
