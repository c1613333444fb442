import { HalyardError } from "../../errors/error.ts";
import { toBlock } from "./quote.ts";
import type { Tmux } from "./tmux.ts";

/**
 * The pane that a program was started in, addressed by its id. A user can split, switch, rename or move the window, and
 * a new server numbers its panes from zero. Therefore, every command first checks that the pane still belongs to the
 * program.
 */
export class Pane {
  readonly #tmux: Tmux;
  /** Undefined if the pane was already closed. */
  readonly #id: string | undefined;
  readonly #pid: number;

  constructor(tmux: Tmux, { id, pid }: { id: string | undefined; pid: number }) {
    this.#tmux = tmux;
    this.#id = id;
    this.#pid = pid;
  }

  /** Runs commands on the pane. Rejects with `agent_exited` and the reason if the pane is closed. */
  async run(commands: PaneCommands): Promise<string> {
    const printed = await this.tryRun(commands);
    if (printed !== undefined) return printed;
    const reason = await this.closeReason();
    throw new HalyardError(
      "agent_exited",
      `The program no longer has a screen: ${reason}. Resume the session to start it again.`,
    );
  }

  /** Runs commands on the pane. Returns undefined if the pane is closed. */
  async tryRun(commands: PaneCommands): Promise<string | undefined> {
    const id = this.#id;
    if (id === undefined) return undefined;
    const isOurs = `#{==:#{pane_pid},${this.#pid}}`;
    const foreign = toBlock([["display-message", "-p", FOREIGN]]);
    const choice = ["if-shell", "-F", "-t", id, isOurs, toBlock(commands(id)), foreign];
    const printed = await this.#tmux.tryRun(choice);
    return printed === `${FOREIGN}\n` ? undefined : printed;
  }

  /**
   * Closes the pane and the session in which it was opened, even if the session was renamed. Does not close a session
   * to which a user moved the pane.
   */
  async close(session: string): Promise<void> {
    await this.tryRun((id) => [
      ["if-shell", "-F", "-t", id, `#{==:#{${SESSION_MARK}},${session}}`, `kill-session -t ${id}`],
    ]);
    await this.tryRun((id) => [["kill-pane", "-t", id]]);
    await this.#tmux.tryRun(["kill-session", "-t", `=${session}`]);
  }

  /** Returns the reason why the pane is closed. */
  async closeReason(): Promise<string> {
    const isUp = (await this.#tmux.tryRun(["list-sessions", "-F", "up"])) !== undefined;
    // The server also exits after its last pane was closed.
    return `its tmux pane was closed${isUp ? "" : " or its tmux server was killed"}`;
  }
}

/** Returns the commands for the pane with this id. */
export type PaneCommands = (id: string) => readonly (readonly string[])[];

/** Returns the id of the pane that a process was started in. Returns undefined if the pane is closed. */
export async function findPane(tmux: Tmux, pid: number): Promise<string | undefined> {
  const printed = await tmux.tryRun(["list-panes", "-a", "-F", "#{pane_pid} #{pane_id}"]);
  const [, id] = new RegExp(`^${pid} (%\\d+)$`, "m").exec(printed ?? "") ?? [];
  return id;
}

/** The tmux option that stores the original name of a tmux session, because a user can rename the session. */
export const SESSION_MARK = "@halyard";

const FOREIGN = "halyard: not our pane";
