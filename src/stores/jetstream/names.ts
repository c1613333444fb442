import { HalyardError } from "../../errors/error.ts";
import type { SessionId } from "../../schema/id.ts";

/** The names of the stream and the subjects of one cluster. */
export interface StreamNames {
  readonly stream: string;
  /** Matches the log subjects of all sessions. */
  readonly logs: string;
  /** Matches the subjects of all parts of large blocks. */
  readonly parts: string;
  /** Receives a message without content after each write. Not stored. */
  readonly written: string;
  log(id: SessionId): string;
  part(id: SessionId): string;
  /** Returns the session id in a log subject. */
  sessionOf(subject: string): string;
}

/** Returns the names of a cluster. The name of the cluster separates clusters on the same servers. */
export function streamNames(cluster: string): StreamNames {
  if (!/^[A-Za-z0-9_-]{1,32}$/.test(cluster))
    throw new HalyardError(
      "invalid_input",
      `The cluster name "${cluster}" is invalid. Use at most 32 letters, digits, hyphens and underscores.`,
    );
  const prefix = `halyard.${cluster}`;
  return {
    stream: `halyard-${cluster}`,
    logs: `${prefix}.log.*`,
    parts: `${prefix}.part.*`,
    written: `${prefix}.written`,
    log: (id) => `${prefix}.log.${id}`,
    part: (id) => `${prefix}.part.${id}`,
    sessionOf: (subject) => subject.slice(`${prefix}.log.`.length),
  };
}
