import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import type { Environment } from "../../core/environment.ts";
import { HalyardError } from "../../core/error.ts";
import { errno } from "../recording/errno.ts";
import { toLine } from "./quote.ts";

/**
 * A tmux server of our own, apart from the user's and deaf to the user's settings. Commands go in by standard input:
 * a command line would show keys to everybody on the machine.
 */
export class Tmux {
  /** Where the server is reached, by nobody but this user. */
  readonly socket: string;
  readonly #env: Record<string, string>;

  constructor(socket: string, env: Environment) {
    this.socket = socket;
    this.#env = serverEnvironment(env);
  }

  /** How a person gets to see one of its sessions. */
  viewCommand(session: string): string[] {
    return ["tmux", "-S", this.socket, "attach-session", "-t", `=${session}`];
  }

  /** Runs commands one after the other, on a server that is started where there is none; gives what they print. */
  run(...commands: readonly (readonly string[])[]): Promise<string> {
    const set = (option: string, value: string) => ["set-option", "-g", option, value, ";"];
    const first = [
      "start-server",
      ";",
      ...set("exit-empty", "off"), // the first session is still to come
      ...set("update-environment", ""),
      ...set("remain-on-exit", "on"),
      ...set("remain-on-exit-format", ""),
    ];
    return this.#call([...first, "source-file", "-"], commands.map(toLine).join(""));
  }

  /** The same on a server that runs; undefined where there is none, or not what the commands are about. */
  async ask(...commands: readonly (readonly string[])[]): Promise<string | undefined> {
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
    child.stdin.on("error", () => {}); // what it refuses to read it also complains about
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
        "tmux is not installed: install it, or use another host",
        {
          cause,
        },
      );
    }
  }
}

/** What tmux does not do, in its own words. */
class TmuxRefusal extends HalyardError {
  constructor(words: string) {
    super("start_failed", `tmux: ${words}`);
  }
}

/** All that every program on the server would see: no more than what tmux itself needs. */
function serverEnvironment({ PATH, HOME, LANG }: Environment): Record<string, string> {
  return {
    TERM: "xterm-256color",
    LANG: LANG || "C.UTF-8",
    ...(PATH && { PATH }),
    ...(HOME && { HOME }),
  };
}
