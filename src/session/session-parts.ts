import type { Connection } from "../contracts/adapter.ts";
import type { Clock } from "../contracts/clock.ts";
import type { Session } from "../contracts/halyard.ts";
import type { Remedies } from "../errors/model-failure.ts";
import type { EventLog } from "../log/event-log.ts";
import type { Redactor } from "../log/redaction/redaction.ts";
import type { Capability } from "../schema/runtime.ts";
import type { Limits } from "../schema/start-request.ts";
import type { AttachmentFiles } from "./attachments/attachment-files.ts";
import type { Checkpoints } from "./checkpoints.ts";
import type { RestoredTurns } from "./recovery/restore.ts";
import type { OpenTurn } from "./turns/open-turn.ts";

/** The parts of a live session. */
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
  /** Directories in which every edit needs permission. */
  readonly protectedDirs: readonly string[];
  readonly raw: boolean;
  /** The byte offset up to which the runtime's output is already in the log. */
  readonly cursor: number;
  /** The turns that an earlier process had open. */
  readonly restored?: RestoredTurns;
  /** Records the files of the session. If omitted, no checkpoints are taken. */
  readonly checkpoints?: Checkpoints;
  /** Rejects with the reason if the session may not start another turn. */
  readonly admitTurn?: () => Promise<void>;
  /** See `Host.requireResponsive`. */
  readonly requireResponsive?: () => Promise<void>;
  readonly attachments: AttachmentFiles;
  /** Settles a turn that continues in another process. */
  readonly finishElsewhere: (turn: OpenTurn) => void;
  /** Stops the session after this process has detached from it. */
  readonly stopElsewhere: (reason: string) => Promise<void>;
  /** Releases the resources of the session. Keeps the files that attach needs if the runtime is still running. */
  readonly release: (options: { isLeftRunning: boolean }) => Promise<void>;
}
