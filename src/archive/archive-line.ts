import { z } from "zod";
import { Attachment } from "../schema/attachment.ts";
import { StreamEvent } from "../schema/event.ts";
import { SessionId } from "../schema/id.ts";
import { SessionInfo } from "../schema/session.ts";

/** The version of the archive format. Readers reject other versions. */
export const ARCHIVE_VERSION = 1;

/**
 * A line of an archive, which is a gzip file with one JSON value per line. The first line is the header. The lines of
 * each session are contiguous: the session, its events in order, its attachments, and its end.
 */
export const ArchiveLine = z.discriminatedUnion("line", [
  z.strictObject({
    line: z.literal("archive"),
    version: z.literal(ARCHIVE_VERSION, {
      error: "the archive was written by another version of Halyard. Update Halyard",
    }),
    createdAt: z.iso.datetime(),
  }),
  z.strictObject({ line: z.literal("session"), session: SessionInfo }),
  z.strictObject({ line: z.literal("event"), event: StreamEvent }),
  z.strictObject({
    line: z.literal("attachment"),
    attachment: Attachment,
    /** The content as base64. */
    content: z.base64(),
  }),
  /** The end of a session, which shows that the archive contains the whole session. */
  z.strictObject({
    line: z.literal("end"),
    sessionId: SessionId,
    events: z.number().int().nonnegative(),
  }),
]);
export type ArchiveLine = z.infer<typeof ArchiveLine>;
