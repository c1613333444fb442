import { randomUUID } from "node:crypto";
import { linkSync, mkdirSync, statSync, unlinkSync, writeFileSync } from "node:fs";
import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import type { HalyardParts } from "../../contracts/halyard-parts.ts";
import { HalyardError } from "../../errors/error.ts";
import { homeError } from "../../errors/home-error.ts";
import type { Attachment } from "../../schema/attachment.ts";
import type { SessionId } from "../../schema/id.ts";
import type { AttachedContent } from "./message-parts.ts";

/**
 * The attachments of one session. All sessions in a home share the content: each attachment file of a session is a hard
 * link to the shared file with the same hash. The link count shows whether a session still uses the content.
 */
export interface AttachmentFiles {
  /**
   * Writes attachments. Throws if a file cannot be written. Synchronous, so that messages are recorded in the order in
   * which they were sent.
   */
  keep(attached: readonly AttachedContent[]): void;
  /** Reads the content of an attachment. Rejects with `store_corrupt` if it cannot be read. */
  read(attachment: Attachment): Promise<Buffer>;
  /** Deletes the attachments of the session, and the content that no other session uses. */
  remove(): Promise<void>;
}

/**
 * Returns the attachments of a session. If there is no home directory, they are stored in the session's run directory
 * and deleted when the session stops.
 */
export function attachmentFiles(
  { home, directories }: Pick<HalyardParts, "home" | "directories">,
  id: SessionId,
): AttachmentFiles {
  const root = home === undefined ? directories(id).run : home;
  const shared = join(root, "attachments");
  const own = join(shared, id);
  return {
    keep(attached) {
      if (attached.length === 0) return;
      try {
        mkdirSync(own, { recursive: true, mode: 0o700 });
        for (const one of attached) keepOne(one, { shared, own });
      } catch (cause) {
        throw homeError("The attachments of the message cannot be written", cause);
      }
    },
    async read({ sha256 }) {
      try {
        return await readFile(join(own, sha256));
      } catch (cause) {
        const message = `The attachment ${sha256} of ${id} is missing. Restore a backup of Halyard's home, or attach the file again.`;
        throw new HalyardError("store_corrupt", message, { cause });
      }
    },
    async remove() {
      const names = await readdir(own).catch(() => []);
      await rm(own, { recursive: true, force: true });
      for (const name of names) removeUnused(join(shared, name));
    },
  };
}

/**
 * Links the shared content into the session's directory. Writes the content if the shared file does not exist, for
 * example because another process has just removed it.
 */
function keepOne(
  { attachment, content }: AttachedContent,
  { shared, own }: { readonly shared: string; readonly own: string },
): void {
  const file = join(own, attachment.sha256);
  const common = join(shared, attachment.sha256);
  if (link(common, file)) return;
  const temporary = join(own, `.${randomUUID()}`);
  writeFileSync(temporary, content, { mode: 0o600, flush: true });
  link(temporary, file);
  link(file, common);
  unlinkSync(temporary);
}

/** Creates a hard link. Returns false if the source does not exist. Keeps an existing link: it has the same content. */
function link(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "EEXIST") return true;
    if (code === "ENOENT") return false;
    throw error;
  }
}

/**
 * Removes a shared file that no session links to. A session that links the file at the same time keeps the content
 * through its own link.
 */
function removeUnused(file: string): void {
  const links = statSync(file, { throwIfNoEntry: false })?.nlink;
  if (links === 1) unlinkSync(file);
}
