import { HalyardError } from "../../core/error.ts";
import { toBlock } from "./quote.ts";
import type { Tmux } from "./tmux.ts";

/**
 * The pane that a program was started in, addressed by its id. A person may split the window, switch, rename or move
 * it; a new server counts its panes from zero again. So every command runs only if the pane still has our program.
 */
export class Pane {
  readonly #tmux: Tmux;
  /** Undefined if the pane was gone when we looked for it. */
  readonly #id: string | undefined;
  readonly #pid: number;

  constructor(tmux: Tmux, { id, pid }: { id: string | undefined; pid: number }) {
    this.#tmux = tmux;
    this.#id = id;
    this.#pid = pid;
  }

  /** Runs commands on the pane. Rejects with `agent_exited` and the reason if the pane is gone. */
  async run(commands: PaneCommands): Promise<string> {
    const printed = await this.ask(commands);
    if (printed !== undefined) return printed;
    const fate = await this.fate();
    throw new HalyardError("agent_exited", `The program has no screen any more: ${fate}.`);
  }

  /** The same, but returns undefined if the pane is gone. */
  async ask(commands: PaneCommands): Promise<string | undefined> {
    const id = this.#id;
    if (id === undefined) return undefined;
    const isOurs = `#{==:#{pane_pid},${this.#pid}}`;
    const foreign = toBlock([["display-message", "-p", FOREIGN]]);
    const choice = ["if-shell", "-F", "-t", id, isOurs, toBlock(commands(id)), foreign];
    const printed = await this.#tmux.ask(choice);
    return printed === `${FOREIGN}\n` ? undefined : printed;
  }

  /** Closes the pane and the session it was opened in, by whatever name; not one that a person has moved it to. */
  async close(session: string): Promise<void> {
    await this.ask((id) => [
      ["if-shell", "-F", "-t", id, `#{==:#{${SESSION_MARK}},${session}}`, `kill-session -t ${id}`],
    ]);
    await this.ask((id) => [["kill-pane", "-t", id]]);
    await this.#tmux.ask(["kill-session", "-t", `=${session}`]);
  }

  /** What became of a pane that is gone. */
  async fate(): Promise<string> {
    const isUp = (await this.#tmux.ask(["list-sessions", "-F", "up"])) !== undefined;
    return isUp ? "its tmux pane was closed" : "its tmux server was killed";
  }
}

/** Commands for the pane with that id. */
export type PaneCommands = (id: string) => readonly (readonly string[])[];

/** The id of the pane that a process was started in; undefined if there is none any more. */
export async function findPane(tmux: Tmux, pid: number): Promise<string | undefined> {
  const printed = await tmux.ask(["list-panes", "-a", "-F", "#{pane_pid} #{pane_id}"]);
  const [, id] = new RegExp(`^${pid} (%\\d+)$`, "m").exec(printed ?? "") ?? [];
  return id;
}

/** The option of a tmux session that has the name it was opened with. */
export const SESSION_MARK = "@halyard";

const FOREIGN = "halyard: not our pane";
