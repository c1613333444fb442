// Constants that the browser client imports. This module must not import zod, which would double the size of the client.

/** The size limit of a request body in bytes. A message with 20 MiB of base64-encoded attachments fits. */
export const BODY_BYTES = 32 * 1024 * 1024;

/** The size limit of a message's text in bytes, as UTF-8. */
export const TEXT_BYTES = 8 * 1024 * 1024;

/** The part of an id after its prefix. */
export const idSuffix = /^[0-9a-z]{16}$/;

/** How a message can be sent to a runtime. */
export const inputWays = ["stdin", "rpc", "tmux"] as const;

/** The option in a budget request that removes the limit. */
export const UNLIMITED = "unlimited";

/** The states of a session. */
export const sessionStates = [
  "starting",
  "idle",
  "running",
  "waiting",
  "detached",
  "stopped",
  "failed",
  "lost",
] as const;

/** States of sessions that have ended. Only a resume changes such a state. */
export const endedStates: readonly (typeof sessionStates)[number][] = ["stopped", "failed", "lost"];
