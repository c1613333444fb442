import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { ownerSockets } from "../config/paths.ts";
import { answers } from "./start.ts";

/** Removes the sockets that killed owners of sessions left behind. */
export async function removeStaleSockets(home: string): Promise<void> {
  const { directory, prefix } = ownerSockets(home);
  const names = await readdir(directory).catch(() => []); // the directory does not exist before a process has listened
  for (const name of names.filter((one) => one.startsWith(prefix))) {
    const path = join(directory, name);
    if (!(await answers(path))) await rm(path, { force: true });
  }
}
