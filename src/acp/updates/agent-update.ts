import type { PlanStep } from "../../halyard/plan-steps.ts";
/** An update for a client, independent of the protocol version. */
export type AgentUpdate =
  | {
      readonly type: "text";
      readonly by: "user" | "agent" | "thought";
      readonly messageId: string;
      readonly text: string;
    }
  | ({ readonly type: "tool" } & ReportedTool)
  | ({ readonly type: "result" } & ReportedResult)
  | { readonly type: "plan"; readonly steps: readonly PlanStep[] }
  | { readonly type: "usage"; readonly usage: ContextUsage }
  /** `isFromHalyard` is true for Halyard's own notices, which must always be visible. */
  | { readonly type: "notice"; readonly isFromHalyard: boolean; readonly text: string }
  | { readonly type: "title"; readonly title: string }
  /** The settings of the session have changed. */
  | { readonly type: "changed" };

/** The model's context usage in tokens, and the session's cost so far. */
export interface ContextUsage {
  readonly used: number;
  readonly size: number;
  readonly cost?: { readonly amount: number; readonly currency: string };
}

/** A tool call that is running or requested. */
export interface ReportedTool {
  readonly callId: string;
  readonly name: string;
  readonly title: string;
  readonly kind: "execute" | "read" | "edit" | "search" | "fetch" | "other";
  readonly input: unknown;
  /** The absolute paths of the affected files. */
  readonly paths: readonly string[];
  /** The changes that the tool's input describes, if they can be determined. */
  readonly edits: readonly FileEdit[];
}

/** The result of a tool call. */
export interface ReportedResult {
  readonly callId: string;
  readonly isError: boolean;
  /** The output as Markdown. */
  readonly text: string;
  readonly edits: readonly FileEdit[];
  readonly exitCode?: number;
}

/** A change to a file, or to a part of a file. */
export interface FileEdit {
  /** The absolute path of the file. */
  readonly path: string;
  readonly operation: "add" | "modify" | "delete";
  readonly before: string;
  readonly after: string;
  /** The change as diff hunks, if the runtime reported a diff. */
  readonly hunks?: string;
}
