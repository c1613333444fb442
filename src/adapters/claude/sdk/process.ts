import { EventEmitter } from "node:events";
import { PassThrough, Writable } from "node:stream";
import type { HostProcess } from "../../../contracts/host.ts";
import type { SdkSpawned } from "./api.ts";

/** A host's process, presented to the SDK as a child process. */
export interface SdkProcess extends SdkSpawned {
  /** Detaches the SDK from the process, which keeps running. */
  release(): void;
}

/** Returns the SDK's view of a process that the host is still starting. */
export function createSdkProcess(starting: Promise<HostProcess>): SdkProcess {
  const events = new EventEmitter();
  const stdout = new PassThrough();
  const released = new AbortController();
  const state: { killed: boolean; exitCode: number | null; hasEnded: boolean } = {
    killed: false,
    exitCode: null,
    hasEnded: false,
  };
  events.on("error", () => {}); // the caller of spawn() also receives the error

  const stdin = new Writable({
    decodeStrings: false,
    write(text, _, done) {
      const written = starting.then((process) => process.write(String(text)));
      written.then(
        () => done(),
        () => done(), // the process's output reports its end
      );
    },
  });

  const end = (code: number | null, signal: string | null): void => {
    if (state.hasEnded) return;
    state.hasEnded = true;
    state.exitCode = code;
    stdout.end();
    events.emit("exit", code, signal);
  };
  const follow = async (): Promise<void> => {
    const process = await starting;
    for await (const { bytes } of process.output({ signal: released.signal })) {
      if (state.hasEnded) return;
      stdout.write(bytes);
    }
    if (state.hasEnded) return;
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
      state.killed = true; // only recorded, because the connection terminates the process and its children
      return true;
    },
    on: (event, listener) => void events.on(event, listener),
    once: (event, listener) => void events.once(event, listener),
    off: (event, listener) => void events.off(event, listener),
    release() {
      released.abort();
      end(0, null);
    },
  };
}
