import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { HalyardError } from "../../errors/error.ts";
import type { Environment } from "../../programs/environment.ts";
import { errno } from "../recording/errno.ts";
import { toLine } from "./quote.ts";

/**
 * Halyard's own tmux server, separate from the user's server and settings. Commands are passed on standard input,
 * because arguments may contain keys and are visible to every user of the machine.
 */
export class Tmux {
  /** The path of the server's socket. Only this user can connect to it. */
  readonly socket: string;
  readonly #env: Record<string, string>;

  constructor(socket: string, env: Environment) {
    this.socket = socket;
    this.#env = serverEnvironment(env);
  }

  /** Returns the command that lets a user view a session. */
  viewCommand(session: string): string[] {
    return ["tmux", "-S", this.socket, "attach-session", "-t", `=${session}`];
  }

  /** Runs commands in order and returns their output. Starts the server if it is not running. */
  run(...commands: readonly (readonly string[])[]): Promise<string> {
    const set = (option: string, value: string) => ["set-option", "-g", option, value, ";"];
    const first = [
      "start-server",
      ";",
      ...set("exit-empty", "off"), // keeps a server without sessions running
      ...set("update-environment", ""),
      ...set("remain-on-exit", "on"),
      ...set("remain-on-exit-format", ""),
    ];
    return this.#call([...first, "source-file", "-"], commands.map(toLine).join(""));
  }

  /** Runs commands on the running server. Returns undefined if there is no server or the target does not exist. */
  async tryRun(...commands: readonly (readonly string[])[]): Promise<string | undefined> {
    try {
      return await this.#call(["source-file", "-"], commands.map(toLine).join(""));
    } catch (error) {
      if (
        error instanceof TmuxRefusal &&
        /no server|server exited|can't find|no current target|error connecting/.test(error.message)
      )
        return undefined;
      throw error;
    }
  }

  async #call(args: readonly string[], input: string): Promise<string> {
    const child = spawn("tmux", ["-u", "-S", this.socket, "-f", "/dev/null", ...args], {
      env: this.#env,
      stdio: ["pipe", "pipe", "pipe"],
    });
    child.stdin.on("error", () => {}); // ignored, because the exit code and standard error report the failure
    child.stdin.end(input);
    try {
      const [stdout, stderr, [code]] = await Promise.all([
        text(child.stdout),
        text(child.stderr),
        once(child, "close"),
      ]);
      if (code === 0 && stderr === "") return stdout;
      throw new TmuxRefusal(stderr.trim() || `exit code ${code}`);
    } catch (cause) {
      if (errno(cause) !== "ENOENT") throw cause;
      throw new HalyardError(
        "unsupported",
        "tmux is not installed. Install it with your package manager, or use the local host.",
        {
          cause,
        },
      );
    }
  }
}

/** An error that tmux reported. */
class TmuxRefusal extends HalyardError {
  constructor(message: string) {
    super("start_failed", `tmux reported an error: ${message}`);
  }
}

/**
 * Returns the environment of the tmux server, which all programs on the server inherit. Contains only the variables
 * that tmux needs.
 */
function serverEnvironment({ PATH, HOME, LANG }: Environment): Record<string, string> {
  return {
    TERM: "xterm-256color",
    LANG: LANG || "C.UTF-8",
    ...(PATH && { PATH }),
    ...(HOME && { HOME }),
  };
}
