import { EventEmitter } from "node:events";
import { PassThrough, Writable } from "node:stream";
import type { HostProcess } from "../../core/host.ts";
import type { SdkSpawned } from "./sdk-api.ts";

/** A program of a host's in the hands of the SDK, which thinks that it is a child of this process. */
export interface LentProcess extends SdkSpawned {
  /** The SDK gets nothing more of it, and can do nothing more to it. */
  takeBack(): void;
}

/** The SDK wants it at once, and a host takes a moment. */
export function lendProcess(starting: Promise<HostProcess>): LentProcess {
  const events = new EventEmitter();
  const stdout = new PassThrough();
  const taken = new AbortController();
  const state: { killed: boolean; exitCode: number | null; isOver: boolean } = {
    killed: false,
    exitCode: null,
    isOver: false,
  };
  events.on("error", () => {}); // whoever started it hears of it, too

  const stdin = new Writable({
    decodeStrings: false,
    write(text, _, done) {
      const written = starting.then((process) => process.write(String(text)));
      written.then(
        () => done(),
        () => done(), // the end of the program is told by its output
      );
    },
  });

  const end = (code: number | null, signal: string | null): void => {
    if (state.isOver) return;
    state.isOver = true;
    state.exitCode = code;
    stdout.end();
    events.emit("exit", code, signal);
  };
  const follow = async (): Promise<void> => {
    const process = await starting;
    for await (const { bytes } of process.output({ signal: taken.signal })) {
      if (state.isOver) return;
      stdout.write(bytes);
    }
    if (state.isOver) return;
    const { code = null, signal = null } = await process.exit;
    end(code, signal);
  };
  follow().catch((error) => events.emit("error", error));

  return {
    stdin,
    stdout,
    get killed() {
      return state.killed;
    },
    get exitCode() {
      return state.exitCode;
    },
    kill() {
      state.killed = true; // the connection ends it, with all that it started
      return true;
    },
    on: (event, listener) => void events.on(event, listener),
    once: (event, listener) => void events.once(event, listener),
    off: (event, listener) => void events.off(event, listener),
    takeBack() {
      taken.abort();
      end(0, null);
    },
  };
}
