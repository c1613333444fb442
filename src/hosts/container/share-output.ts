import { randomBytes } from "node:crypto";
import { linkSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import type { RunFiles } from "../recording/run-files.ts";
import { INSIDE } from "./place.ts";

/** The output files of a program under a second name, by which the container can open them. */
export interface SharedOutput {
  /** Their path inside, without the ending. */
  readonly inside: string;
  /** Removes the second name. Open files stay open. */
  close(): void;
}

/**
 * Halyard reads the output by its own name, in a directory that the agent cannot write. So the agent can change the
 * content of the files, which is its output anyway, but cannot make Halyard read another file.
 */
export function shareOutput({ stdout, stderr }: RunFiles, shared: string): SharedOutput {
  const name = randomBytes(16).toString("hex");
  const outputs = { stdout, stderr };
  for (const [ending, file] of Object.entries(outputs))
    linkSync(file, join(shared, `${name}.${ending}`));
  return {
    inside: `${INSIDE.shared}/${name}`,
    close() {
      for (const ending of Object.keys(outputs)) {
        try {
          unlinkSync(join(shared, `${name}.${ending}`));
        } catch {
          // The agent can remove it too.
        }
      }
    },
  };
}
