import type { AgentTrace, TurnInput } from "../../contracts/adapter.ts";
import type { Attachment } from "../../schema/attachment.ts";
import { ImageType } from "../../schema/attachment.ts";
import { type JsonSchema, withSchema } from "../../schema/conversation/json-schema.ts";
import type { TurnId } from "../../schema/id.ts";
import type { Capability } from "../../schema/runtime.ts";
import type { AttachmentFiles } from "./attachment-files.ts";

/**
 * Returns the input for the runtime: the content of the images, and the text of the message and its files. If the
 * message has a schema and the runtime has no structured output, the text also contains the schema.
 */
export async function turnInput(
  { text, attachments, schema }: Message,
  { turnId, files, capabilities, trace }: InputParts,
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
  const whole = parts.join("\n\n");
  const isNative = capabilities.includes("structured-output");
  return {
    turnId,
    text: schema && !isNative ? withSchema(whole, schema) : whole,
    ...(images.length > 0 && { images }),
    ...(schema && isNative && { schema }),
    ...(trace && { traceparent: trace.ofTurn(turnId) }),
  };
}

interface Message {
  readonly text: string;
  readonly attachments: readonly Attachment[];
  readonly schema?: JsonSchema | undefined;
}

interface InputParts {
  readonly turnId: TurnId;
  readonly files: AttachmentFiles;
  readonly capabilities: readonly Capability[];
  readonly trace?: AgentTrace | undefined;
}
