import type { Capability } from "../schema/runtime.ts";
import type { Limits } from "../schema/start-request.ts";
import type { Connection } from "./adapter.ts";
import type { Clock } from "./clock.ts";
import type { EventLog } from "./event-log.ts";
import type { Session } from "./halyard.ts";
import type { Remedies } from "./model-failure.ts";
import type { OpenTurn } from "./open-turn.ts";
import type { Redactor } from "./redaction.ts";
import type { RestoredTurns } from "./restore.ts";

/** What a session is made of. */
export interface SessionParts {
  readonly opened: Session["opened"];
  readonly connection: Connection;
  readonly capabilities: readonly Capability[];
  readonly log: EventLog;
  readonly clock: Clock;
  readonly redactor: Redactor;
  readonly remedies?: Remedies;
  readonly limits: Limits;
  readonly attended: boolean;
  /** Directories that no tool edits unasked. */
  readonly protectedDirs: readonly string[];
  readonly raw: boolean;
  /** How far the runtime's output is in the log already. */
  readonly cursor: number;
  /** The turns that an earlier process had open. */
  readonly restored?: RestoredTurns;
  /** Rejects with the reason where there may be no further turn. */
  readonly admitTurn?: () => Promise<void>;
  /** See `Host`. */
  readonly requireResponsive?: () => Promise<void>;
  /** Sees to the end of a turn that goes on without us. */
  readonly outlive: (turn: OpenTurn) => void;
  /** Ends it after we have let go of it. */
  readonly stopElsewhere: (reason: string) => Promise<void>;
  /** Frees what the session held, once it is over. What a runtime that goes on is found by stays. */
  readonly release: (options: { isLeftRunning: boolean }) => Promise<void>;
}
