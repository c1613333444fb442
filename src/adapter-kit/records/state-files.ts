import type { ConversationCopy } from "../../contracts/conversation.ts";
import { readAgentFile, writeAgentFile } from "../../permissions/agent-writable.ts";
import { listStateFiles } from "../../permissions/copy-agent-files.ts";

/** The files of a runtime's record, in a session's state directory. */
export interface StateFiles {
  /** The directory that contains the files, relative to the state directory. `"."` is the state directory itself. */
  readonly directory: string;
  /** True if a file belongs to the record. The path is relative to the state directory. */
  readonly isRecord: (path: string, runtimeSessionId: string) => boolean;
  /**
   * True if the first line of a file is a JSON object whose field `cwd` contains the working directory. The copy's field
   * is set to the working directory on the new machine. Defaults to false.
   */
  readonly hasCwd?: boolean | undefined;
}

/**
 * Creates the functions that read and write a record. The files of the record are text files in the state directory. The
 * functions do not follow links, because an agent may have created a link to any file.
 */
export function copyStateFiles({
  directory,
  isRecord,
  hasCwd = false,
}: StateFiles): ConversationCopy {
  return {
    async read({ stateDir, runtimeSessionId }) {
      const paths = listStateFiles(stateDir, directory);
      return paths.flatMap((path) => {
        if (!isRecord(path, runtimeSessionId)) return [];
        const text = readAgentFile(stateDir, path, { maxBytes: MAX_BYTES, isWhole: true });
        return text === undefined ? [] : [{ path, content: Buffer.from(text) }];
      });
    },
    async write({ stateDir, cwd }, files) {
      for (const { path, content } of files) {
        const text = content.toString();
        writeAgentFile(stateDir, path, hasCwd ? inDirectory(text, cwd) : text);
      }
    },
  };
}

/** The maximum size of a file that moves to another machine, in bytes. */
const MAX_BYTES = 64 * 1024 * 1024;

function inDirectory(text: string, cwd: string): string {
  const end = text.indexOf("\n");
  if (end < 0) return text; // not a record but a settings file, which has no `cwd`
  try {
    const header: unknown = JSON.parse(text.slice(0, end));
    if (typeof header !== "object" || header === null || !("cwd" in header)) return text;
    return JSON.stringify({ ...header, cwd }) + text.slice(end);
  } catch {
    return text; // not JSON: the runtime will report that its record is damaged
  }
}
