import type { Host } from "./host.ts";

/** The arguments of `Adapter.nativeSessions`. */
export interface NativeSessionsRequest {
  readonly host: Host;
  /** Lists only sessions with this working directory. Defaults to all sessions. */
  readonly cwd?: string | undefined;
  /** Lists only sessions whose id starts with this text. Defaults to all sessions. */
  readonly id?: string | undefined;
  readonly limit: number;
  /** The ids of sessions that are not listed, because Halyard started them. */
  readonly except: ReadonlySet<string>;
  /** Variables that are added to the adapter's environment, such as the account's directory. */
  readonly env: Readonly<Record<string, string>>;
  /** The options of the runtime. */
  readonly options: Readonly<Record<string, unknown>>;
}
