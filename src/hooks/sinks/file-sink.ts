import { constants, realpathSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { basename, dirname, isAbsolute } from "node:path";
import { HalyardError } from "../../errors/error.ts";
import { isWithin } from "../../files/is-within.ts";
import { makeDirectory } from "../../files/make-directory.ts";
import { openInside } from "../../permissions/open-inside.ts";
import { locatePath } from "../../permissions/path-policy.ts";
import type { FileHook } from "../../schema/hook.ts";
import type { HookSink } from "./sink.ts";

/**
 * Creates a sink that appends each payload to a file as one line. Several processes can share the file, because each
 * line is written with one call.
 */
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
  await makeDirectory(dirname(file));
  return open(file, APPEND, 0o600);
}

/**
 * Opens a file in the session's working directory. The agent can create links in it, so the resolved path is checked.
 */
function openIn(cwd: string, file: string): Promise<FileHandle> {
  const root = realpathSync(cwd);
  const found = locatePath(file, { cwd, protectedDirs: [] });
  if (found.location !== "outside" && isWithin(found.real, root))
    return openInside(root, found.real, APPEND, 0o600);
  throw new HalyardError(
    "invalid_input",
    `The hook file "${file}" is outside ${cwd}. Use an absolute path for a file outside the working directory.`,
  );
}
