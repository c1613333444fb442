import type { ExplainRequest, Explanation } from "../schema/page/explanation.ts";
import type { SessionScreen } from "../schema/page/screen.ts";

/** Options of `inspect`. */
export interface InspectOptions {
  /** True to compare the schema that the program prints with the tested one. Takes seconds. Defaults to false. */
  readonly schema?: boolean | undefined;
}

/** The methods of `Halyard` that read state that is not in the log: screens and configuration. */
export interface Inspection {
  /**
   * Returns the screen of a session whose runtime runs in tmux, with colors and without keys. Rejects with `unsupported` if
   * the session has no screen, and with `session_stopped` if its program has ended.
   * @example const { lines } = await halyard.screen("ses_0123456789abcdef");
   */
  screen(id: string): Promise<SessionScreen>;
  /**
   * Returns the settings that a session would have if it were started now, and the source of each setting. Contains no
   * keys.
   * @example const { settings } = await halyard.explain({ cwd: "/home/me/project" });
   */
  explain(request: ExplainRequest): Promise<Explanation>;
}
