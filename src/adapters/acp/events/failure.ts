import { plainWords } from "../../../adapter-kit/plain-words.ts";
import { errorInfo } from "../../../errors/error.ts";
import type { ErrorInfo } from "../../../schema/error.ts";
import type { RpcError } from "../messages.ts";

/** ACP's error code for a request that needs a sign-in. */
export const AUTH_REQUIRED = -32000;
/** JSON-RPC's error code for invalid parameters. */
export const INVALID_PARAMS = -32602;

/** Maps an agent's error to the error of an outcome: `not_signed_in` if a sign-in is required, otherwise `agent_failed`. */
export function failureOf(error: RpcError | undefined): ErrorInfo {
  const code = error?.code === AUTH_REQUIRED ? "not_signed_in" : "agent_failed";
  const message = error && messageOf(error);
  return errorInfo(
    code,
    message || "The agent failed without giving a reason. Send the message again.",
  );
}

/** Returns an error's message. Some agents send a generic message and put the details into `data`. */
export function messageOf({ message, data }: RpcError): string {
  const plain = plainWords(message.replace(/^Internal error:?\s*/i, ""));
  const details = typeof data === "string" ? data : messageIn(data);
  if (details === undefined || plain.includes(details)) return plain || message;
  return plain === "" ? details : `${plain}: ${details}`;
}

function messageIn(data: unknown): string | undefined {
  if (typeof data !== "object" || data === null) return undefined;
  for (const name of ["details", "message", "error", "reason", "data"]) {
    const inner: unknown = Reflect.get(data, name);
    const message = typeof inner === "string" ? inner : messageIn(inner);
    if (message !== undefined) return message;
  }
  return undefined;
}
