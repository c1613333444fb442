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
  /** `isFromHalyard`: true for a notice of Halyard itself, which must always be visible. */
  | { readonly type: "notice"; readonly isFromHalyard: boolean; readonly text: string }
  | { readonly type: "title"; readonly title: string }
  /** Model, policy or mode has changed. */
  | { readonly type: "changed" };

/** Context usage of the model and cost of the session so far. */
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
  /** Absolute paths. */
  readonly paths: readonly string[];
  /** Changes in the tool's input, as far as they are known. */
  readonly edits: readonly FileEdit[];
}

/** Result of a tool call. */
export interface ReportedResult {
  readonly callId: string;
  readonly isError: boolean;
  /** Markdown. */
  readonly text: string;
  readonly edits: readonly FileEdit[];
  readonly exitCode?: number;
}

/** A change of a file or of a part of it. */
export interface FileEdit {
  /** Absolute path. */
  readonly path: string;
  readonly operation: "add" | "modify" | "delete";
  readonly before: string;
  readonly after: string;
  /** The change as diff hunks, if the runtime reported a diff. */
  readonly hunks?: string;
}
