import { appendFile, mkdir } from "node:fs/promises";
import { basename, dirname, resolve } from "node:path";
import type { FileHook } from "../schema/hook.ts";
import type { HookSink } from "./sink.ts";

/** Adds every payload to a file, one per line. Several processes may share it: a line is written at once. */
export function fileSink({ file, events }: FileHook, { cwd }: { cwd: string }): HookSink {
  const path = resolve(cwd, file);
  return {
    name: basename(path),
    ...(events && { events }),
    async deliver(payload) {
      await mkdir(dirname(path), { recursive: true });
      await appendFile(path, `${JSON.stringify(payload)}\n`, { mode: 0o600 });
    },
  };
}
