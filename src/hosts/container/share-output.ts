import { randomBytes } from "node:crypto";
import { linkSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import type { RunFiles } from "../recording/run-files.ts";
import { INSIDE } from "./container-paths.ts";

/** Hard links to a program's output files, through which the container opens them. */
export interface SharedOutput {
  /** The path in the container, without the extension. */
  readonly inside: string;
  /** Removes the links. Open files stay open. */
  close(): void;
}

/**
 * Creates the links in `shared`. Halyard reads the output under its original path, to which the agent cannot write. The
 * agent can change the content, which is its own output, but it cannot make Halyard read another file.
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
          // Ignored, because the agent may have removed the link.
        }
      }
    },
  };
}
