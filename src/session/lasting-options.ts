import { isDeepStrictEqual } from "node:util";
import type { Adapter } from "../contracts/adapter.ts";
import type { HalyardParts } from "../contracts/halyard-parts.ts";
import type { SessionRequest } from "../contracts/session-request.ts";
import { createRedactor } from "../log/redaction/redaction.ts";
import type { SessionInfo } from "../schema/session.ts";
import { secretsOf } from "./session-secrets.ts";

/**
 * Returns the options that are recorded with a session, because a resume needs them again. Returns undefined if there
 * are none, or if one of them contains a key, because keys are never stored.
 */
export function lastingOptions(
  { secrets }: Pick<HalyardParts, "secrets">,
  adapter: Pick<Adapter, "lastingOptions">,
  request: SessionRequest,
): SessionInfo["options"] {
  const options = { ...adapter.lastingOptions?.(request.options) };
  if (Object.keys(options).length === 0) return undefined;
  const redacted = createRedactor([...secrets, ...secretsOf(request)]).redact(options);
  return isDeepStrictEqual(redacted, options) ? options : undefined;
}

/** Returns the options for a resume: the given options, plus the recorded options if no lasting option is given. */
export function resumeOptions(
  adapter: Pick<Adapter, "lastingOptions">,
  recorded: SessionInfo["options"],
  given: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const isReplaced = Object.keys(adapter.lastingOptions?.(given) ?? {}).length > 0;
  return { ...(isReplaced ? {} : recorded), ...given };
}
