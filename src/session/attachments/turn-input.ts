import type { TurnInput } from "../../contracts/adapter.ts";
import type { Attachment } from "../../schema/attachment.ts";
import { ImageType } from "../../schema/attachment.ts";
import type { TurnId } from "../../schema/id.ts";
import type { AttachmentFiles } from "./attachment-files.ts";

/** Returns a message for the runtime: its images with their content, and its text with the text of its files. */
export async function turnInput(
  { text, attachments }: { readonly text: string; readonly attachments: readonly Attachment[] },
  { turnId, files }: { readonly turnId: TurnId; readonly files: AttachmentFiles },
): Promise<TurnInput> {
  const images = [];
  const parts = [text];
  for (const attachment of attachments) {
    const content = await files.read(attachment);
    const { kind, name, mediaType } = attachment;
    if (kind === "file") parts.push(`<file name="${name}">\n${content.toString("utf8")}\n</file>`);
    else
      images.push({
        data: content.toString("base64"),
        mediaType: ImageType.parse(mediaType),
        ...(name !== undefined && { name }),
      });
  }
  return { turnId, text: parts.join("\n\n"), ...(images.length > 0 && { images }) };
}
