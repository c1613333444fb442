/** Something for a client to show, before it is put into the words of a version of the protocol. */
export type Telling =
  | {
      readonly type: "words";
      readonly by: "user" | "agent" | "thought";
      readonly messageId: string;
      readonly text: string;
    }
  | ({ readonly type: "tool" } & ToldTool)
  | ({ readonly type: "result" } & ToldResult)
  | { readonly type: "plan"; readonly steps: readonly PlanStep[] }
  | { readonly type: "usage"; readonly usage: ContextUsage }
  /** `isOurs`: told by Halyard rather than by the runtime, and to be seen in any case. */
  | { readonly type: "notice"; readonly isOurs: boolean; readonly text: string }
  | { readonly type: "title"; readonly title: string }
  /** The model, the policy or the mode was changed. */
  | { readonly type: "changed" };

/** How full the model's memory is, and what the session has cost so far. */
export interface ContextUsage {
  readonly used: number;
  readonly size: number;
  readonly cost?: { readonly amount: number; readonly currency: string };
}

/** A tool that is used, or is to be. */
export interface ToldTool {
  readonly callId: string;
  readonly name: string;
  readonly title: string;
  readonly kind: "execute" | "read" | "edit" | "search" | "fetch" | "other";
  readonly input: unknown;
  /** Absolute. */
  readonly paths: readonly string[];
  /** What it means to change, as far as its input tells. */
  readonly edits: readonly FileEdit[];
}

/** What came of it. */
export interface ToldResult {
  readonly callId: string;
  readonly isError: boolean;
  /** Markdown. */
  readonly text: string;
  readonly edits: readonly FileEdit[];
  readonly exitCode?: number;
}

/** A change to a file, or to a part of it. */
export interface FileEdit {
  /** Absolute. */
  readonly path: string;
  readonly operation: "add" | "modify" | "delete";
  readonly before: string;
  readonly after: string;
  /** The same as hunks of a diff, where it came as one. */
  readonly hunks?: string;
}

export interface PlanStep {
  readonly content: string;
  readonly status: "pending" | "in_progress" | "completed" | "cancelled";
  readonly priority: "high" | "medium" | "low";
}
