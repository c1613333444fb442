import type { AgentTrace, Connection } from "../contracts/adapter.ts";
import type { Clock } from "../contracts/clock.ts";
import type { Session } from "../contracts/halyard.ts";
import type { WakeTimes } from "../contracts/halyard-parts.ts";
import type { Remedies } from "../errors/model-failure.ts";
import type { EventLog } from "../log/event-log.ts";
import type { Redactor } from "../log/redaction/redaction.ts";
import type { ForkOptions } from "../schema/conversation/fork-options.ts";
import type { SessionId } from "../schema/id.ts";
import type { Usage } from "../schema/outcome.ts";
import type { Capability, RuntimeName } from "../schema/runtime.ts";
import type { Limits } from "../schema/session/start-request.ts";
import type { AttachmentFiles } from "./attachments/attachment-files.ts";
import type { Checkpoints } from "./checkpoints.ts";
import type { BudgetAccount } from "./pauses/budget.ts";
import type { RestoredTurns } from "./recovery/restore.ts";
import type { OpenTurn } from "./turns/open-turn.ts";

/** The dependencies and settings of a live session. */
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
  /** Directories in which every edit requires permission. */
  readonly protectedDirs: readonly string[];
  readonly raw: boolean;
  /** The byte offset up to which the runtime's output is already in the log. */
  readonly cursor: number;
  /** The turns that an earlier process left open. */
  readonly restored?: RestoredTurns;
  /** Records the files of the session. If omitted, no checkpoints are taken. */
  readonly checkpoints?: Checkpoints;
  /**
   * Returns the budgets of the session with their usage, without the running turn. If omitted, the session has no
   * budget.
   */
  readonly budgets?: () => Promise<readonly BudgetAccount[]>;
  /** Adds a cost estimate to a usage, unless the runtime reported the cost or the price of the model is unknown. */
  readonly estimate: (usage: Usage) => Usage;
  /** Assigns the times at which waiting turns continue. */
  readonly wakeSlots: WakeTimes;
  /** Starts a session with this id that continues the work on another runtime. Called after the turn has ended. */
  readonly handOff: (to: RuntimeName, id: SessionId) => Promise<void>;
  /** Rejects with the reason if the session may not start another turn. */
  readonly admitTurn?: () => Promise<void>;
  /** See `Host.requireResponsive`. */
  readonly requireResponsive?: () => Promise<void>;
  readonly attachments: AttachmentFiles;
  /** The trace that the agent can join. */
  readonly trace?: AgentTrace;
  /** Settles the outcome of a turn that continues in another process. */
  readonly finishElsewhere: (turn: OpenTurn) => void;
  /** Stops the session after this process has detached from it. */
  readonly stopElsewhere: (reason: string) => Promise<void>;
  /** Starts a session that continues a copy of the conversation. */
  readonly fork: (options: ForkOptions) => Promise<Session>;
  /** Releases the resources of the session. Keeps the files that attach needs if the runtime is still running. */
  readonly release: (options: { isLeftRunning: boolean }) => Promise<void>;
}
