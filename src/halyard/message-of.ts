import type { MessageInput } from "../schema/attachment.ts";

/** Returns a message: its text, or an object if it has attachments. */
export function messageOf(
  text: string,
  {
    images = [],
    files = [],
  }: {
    readonly images?: MessageInput["images"] | undefined;
    readonly files?: MessageInput["files"] | undefined;
  },
): string | MessageInput {
  if (images.length + files.length === 0) return text;
  return { text, ...(images.length > 0 && { images }), ...(files.length > 0 && { files }) };
}
