import { z } from "zod";

/** A session that a runtime recorded without Halyard. */
export const NativeSession = z.strictObject({
  /** The runtime's id for the session, to pass in `StartRequest.continuedFrom`. */
  id: z.string(),
  /** The title, or the first line of the first message. */
  title: z.string().optional(),
  /** The working directory of the session. */
  cwd: z.string().optional(),
  /** When the runtime last wrote to the session. */
  updatedAt: z.iso.datetime().optional(),
});
export type NativeSession = z.infer<typeof NativeSession>;

/** Selects the sessions that `Halyard.nativeSessions` lists. */
export const NativeSessionQuery = z.strictObject({
  /**
   * Lists only sessions with this working directory.
   * @defaultValue sessions of all directories
   * @example "/home/me/project"
   */
  cwd: z.string().min(1).optional(),
  /**
   * Lists only sessions whose id starts with this text.
   * @defaultValue all sessions
   * @example "01a1eda9"
   */
  id: z.string().min(1).optional(),
  /**
   * The maximum number of sessions.
   * @example 10
   */
  limit: z.number().int().positive().max(1000).default(50),
  /**
   * The directory with the runtime's sign-in data and records, for users with several accounts.
   * @defaultValue the user's default account
   * @example "/home/me/.claude-work"
   */
  accountDir: z.string().min(1).optional(),
  /**
   * The machine whose records are listed: a machine of the cluster, or one that `halyard host add` added. Rejected if there
   * is no such machine.
   * @defaultValue the machine that answers the request
   * @example "gpu"
   */
  on: z.string().min(1).optional(),
  /**
   * Options that are specific to this runtime, as in `StartRequest.options`. For example, the command of an ACP agent.
   * @example { command: "gemini --acp" }
   */
  options: z.record(z.string(), z.unknown()).default({}),
});
export type NativeSessionQuery = z.input<typeof NativeSessionQuery>;
