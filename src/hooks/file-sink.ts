import { constants, realpathSync } from "node:fs";
import { type FileHandle, mkdir, open } from "node:fs/promises";
import { basename, dirname, isAbsolute } from "node:path";
import { HalyardError } from "../core/error.ts";
import { openInside } from "../core/open-inside.ts";
import { isWithin, placeOf } from "../core/path-policy.ts";
import type { FileHook } from "../schema/hook.ts";
import type { HookSink } from "./sink.ts";

/** Appends every payload to a file, one per line. Several processes may share it: a line is written at once. */
export function fileSink({ file, events }: FileHook, { cwd }: { cwd: string }): HookSink {
  return {
    name: basename(file),
    ...(events && { events }),
    async deliver(payload) {
      await using handle = await (isAbsolute(file) ? openAnywhere(file) : openIn(cwd, file));
      await handle.appendFile(`${JSON.stringify(payload)}\n`);
    },
  };
}

const APPEND = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT;

async function openAnywhere(file: string): Promise<FileHandle> {
  await mkdir(dirname(file), { recursive: true });
  return open(file, APPEND, 0o600);
}

/** A relative file is in the session's working directory, which an agent can fill with links. */
function openIn(cwd: string, file: string): Promise<FileHandle> {
  const root = realpathSync(cwd);
  const found = placeOf(file, { cwd, protectedDirs: [] });
  if (found.place !== "outside" && isWithin(found.real, root))
    return openInside(root, found.real, APPEND, 0o600);
  throw new HalyardError(
    "invalid_input",
    `The hook file "${file}" leads out of ${cwd}. Use an absolute path for a file elsewhere.`,
  );
}
