import { fromErrorInfo, HalyardError, toErrorInfo } from "../../errors/error.ts";
import type { MessageInput } from "../../schema/attachment.ts";
import type { SessionParts } from "../session-parts.ts";
import { type MessageParts, messageParts } from "./message-parts.ts";

/**
 * Parses a message for a runtime. Returns an error if the message is not valid, if its attachments are too large, or if it
 * contains images and the runtime does not accept images.
 */
export function readMessage(
  message: string | MessageInput,
  { capabilities, log }: Pick<SessionParts, "capabilities" | "log">,
): MessageParts | HalyardError {
  try {
    const parts = messageParts(message);
    const hasImage = parts.attached.some(({ attachment }) => attachment.kind === "image");
    if (!hasImage || capabilities.includes("images")) return parts;
    const advice =
      'Send the message without images, or choose a runtime with the capability "images".';
    return new HalyardError("unsupported", `${log.info.runtime} does not accept images. ${advice}`);
  } catch (error) {
    return fromErrorInfo(toErrorInfo(error));
  }
}

/** Writes the attachments of a message to files. Returns the error if the write fails, otherwise undefined. */
export function keepAttachments(
  { attached }: MessageParts,
  { attachments }: Pick<SessionParts, "attachments">,
): HalyardError | undefined {
  try {
    attachments.keep(attached);
    return undefined;
  } catch (error) {
    return fromErrorInfo(toErrorInfo(error));
  }
}
