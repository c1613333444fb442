import { chmod, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";

/** A `git` that logs each command before it runs the real one. */
export interface WatchedGit {
  /** The PATH that finds this git first. */
  readonly path: string;
  /** Returns the names of the commands since the last call, sorted. */
  commands(): Promise<string[]>;
  /** Makes the next command with this name fail with a message. */
  failNext(command: string, stderr: string): Promise<void>;
}

export async function createWatchedGit(): Promise<WatchedGit> {
  const directory = await temporaryDirectory();
  const [log, failure] = [join(directory, "log"), join(directory, "failure")];
  const script = `#!/bin/sh
skip=
for arg; do
  if [ -n "$skip" ]; then skip=; continue; fi
  case "$arg" in
    -c) skip=1 ;;
    -*) ;;
    *) echo "$arg" >> '${log}'; break ;;
  esac
done
if [ -f "${failure}.$arg" ] && mv "${failure}.$arg" "${failure}"; then cat "${failure}" >&2; exit 128; fi
PATH='${process.env.PATH}' exec git "$@"
`;
  await writeFile(join(directory, "git"), script);
  await chmod(join(directory, "git"), 0o755);
  return {
    path: `${directory}:${process.env.PATH}`,
    async commands() {
      const lines = (await readFile(log, "utf8").catch(() => "")).split("\n");
      await rm(log, { force: true });
      return lines.filter((line) => line !== "").sort();
    },
    failNext: (command, stderr) => writeFile(`${failure}.${command}`, stderr),
  };
}
