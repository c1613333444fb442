import { createHash } from "node:crypto";
import { HalyardError } from "../../errors/error.ts";
import { parseInput } from "../../errors/parse-input.ts";
import { imageTypeOf } from "../../halyard/image-type.ts";
import {
  ATTACHED_BYTES,
  ATTACHMENTS,
  type Attachment,
  FILE_BYTES,
  type ImageType,
  MessageInput,
} from "../../schema/attachment.ts";
import { type AnswerSchema, readAnswerSchema } from "../answers/answer-schema.ts";

/** An attachment with its content. */
export interface AttachedContent {
  readonly attachment: Attachment;
  readonly content: Buffer;
}

/** A parsed message: its text, its attachments and the schema of its answer. */
export interface MessageParts {
  readonly text: string;
  readonly attached: readonly AttachedContent[];
  readonly answer?: AnswerSchema;
}

/**
 * Parses a message. Throws `invalid_input` if its fields, its schema or the number or type of its attachments are not
 * valid, and `too_large` if the attachments exceed a size limit. Returns a string as the text without a check.
 */
export function messageParts(message: string | MessageInput): MessageParts {
  if (typeof message !== "object" || message === null) return { text: message, attached: [] };
  const { text, images = [], files = [], schema } = parseInput(MessageInput, message);
  const attached = [
    ...images.map(({ data, name }, at) => {
      const content = Buffer.from(data, "base64");
      return describe("image", content, requireImage(content, `images.${at}`), name);
    }),
    ...files.map((file) =>
      describe("file", Buffer.from(file.text, "utf8"), "text/plain; charset=utf-8", file.name),
    ),
  ];
  requireLimits(attached);
  return { text, attached, ...(schema && { answer: readAnswerSchema(schema) }) };
}

function describe(
  kind: Attachment["kind"],
  content: Buffer,
  mediaType: string,
  name: string | undefined,
): AttachedContent {
  const sha256 = createHash("sha256").update(content).digest("hex");
  const bytes = content.length;
  return {
    attachment: { kind, mediaType, bytes, sha256, ...(name !== undefined && { name }) },
    content,
  };
}

function requireLimits(attached: readonly AttachedContent[]): void {
  if (attached.length > ATTACHMENTS)
    throw new HalyardError(
      "invalid_input",
      `A message can have at most ${ATTACHMENTS} attachments. Send the others with the next message.`,
    );
  const large = attached.find(
    ({ attachment: { kind, bytes } }) => kind === "file" && bytes > FILE_BYTES,
  );
  if (large)
    throw new HalyardError(
      "too_large",
      `The file ${large.attachment.name} is larger than 1 MiB. Ask the agent to read it instead.`,
    );
  const bytes = attached.reduce((sum, { content }) => sum + content.length, 0);
  if (bytes <= ATTACHED_BYTES) return;
  throw new HalyardError(
    "too_large",
    "The attachments of the message are larger than 20 MiB. Send them in several messages.",
  );
}

function requireImage(content: Buffer, what: string): ImageType {
  const type = imageTypeOf(content);
  if (type) return type;
  throw new HalyardError(
    "invalid_input",
    `${what}: is not a PNG, JPEG, GIF or WebP image. Convert it to PNG, or attach a text file with "files".`,
  );
}
