import type { StartBody } from "../../schema/http.ts";

/** The settings of a new session that the dialog offers. */
export type NewSession = Pick<
  StartBody,
  "runtime" | "cwd" | "model" | "permissions" | "plan" | "name" | "prompt"
>;

/** A file that a session changed. */
export interface ChangedFile {
  readonly path: string;
  readonly status: string;
  readonly insertions: number;
  readonly deletions: number;
  readonly binary?: boolean;
}

/** The changes of a session or of one of its turns. */
export interface Changes {
  readonly files: readonly ChangedFile[];
  readonly insertions: number;
  readonly deletions: number;
  readonly diff: string;
  readonly truncated?: boolean;
}

/** Tokens, cost and number of turns of a group. */
export interface UsageTotal {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costUsd?: number | undefined;
  readonly turns: number;
}

/** Usage by day, runtime and project, as `GET /v1/usage` returns it. */
export interface UsageReport {
  readonly days: readonly (UsageTotal & { readonly day: string })[];
  readonly runtimes: readonly (UsageTotal & { readonly runtime: string })[];
  readonly projects: readonly (UsageTotal & { readonly project: string })[];
}
