import { z } from "zod";
import { JsonSchema } from "./conversation/json-schema.ts";

/** The maximum size of an image in bytes, which is the limit of the model APIs. */
export const IMAGE_BYTES = 5 * 1024 * 1024;

/** The maximum size of a text file in bytes. The text becomes part of the message. */
export const FILE_BYTES = 1024 * 1024;

/** The maximum total size of all attachments of a message in bytes. */
export const ATTACHED_BYTES = 20 * 1024 * 1024;

/** The maximum number of attachments of a message. */
export const ATTACHMENTS = 20;

/** The media type of an image. All model APIs accept these four types. */
export const ImageType = z.enum(["image/png", "image/jpeg", "image/gif", "image/webp"]);
export type ImageType = z.infer<typeof ImageType>;

/** Base64 encodes 3 bytes as 4 characters. */
const IMAGE_CHARACTERS = Math.ceil(IMAGE_BYTES / 3) * 4;

const FileName = z
  .string()
  .min(1)
  .max(255)
  .regex(/^[^/\\\p{Cc}"<>]+$/u, "expected a file name without a directory");

/** An image in a message: PNG, JPEG, GIF or WebP, detected from the content. At most 5 MiB. */
export const ImageInput = z.strictObject({
  /** The content as base64. */
  data: z.base64().min(1).max(IMAGE_CHARACTERS, "the image is larger than 5 MiB"),
  /** The display name. Defaults to none. */
  name: FileName.exactOptional(),
});
export type ImageInput = z.infer<typeof ImageInput>;

/** A text file in a message. At most 1 MiB. */
export const FileInput = z.strictObject({
  /** The file name, which precedes the text in the message to the runtime. */
  name: FileName,
  /** The content. */
  text: z.string().max(FILE_BYTES, "the file is larger than 1 MiB"),
});
export type FileInput = z.infer<typeof FileInput>;

/** The attachments of a message: at most 20, and 20 MiB in total. */
export const AttachmentInputs = z.strictObject({
  /** Images, for a runtime with the capability `images`. Defaults to none. */
  images: z.array(ImageInput).max(ATTACHMENTS).exactOptional(),
  /** Text files, for every runtime. Their text follows the text of the message. Defaults to none. */
  files: z.array(FileInput).max(ATTACHMENTS).exactOptional(),
});

/** A message with attachments, or with a schema for the answer. */
export const MessageInput = AttachmentInputs.extend({
  /** The text of the message. */
  text: z.string(),
  /** The JSON Schema of the answer: `outcome.data` is a JSON value that matches it. Defaults to none. */
  schema: JsonSchema.exactOptional(),
});
export type MessageInput = z.infer<typeof MessageInput>;

/** An attachment of a message in the log. The content is stored once in Halyard's home, under its hash. */
export const Attachment = z.strictObject({
  /** An image, or a text file. */
  kind: z.enum(["image", "file"]),
  /** The display name, if the message contains one. */
  name: z.string().exactOptional(),
  /** The type of the content. */
  mediaType: z.string(),
  /** The size of the content in bytes. */
  bytes: z.number().int().nonnegative(),
  /** The hash of the content as hexadecimal digits. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});
export type Attachment = z.infer<typeof Attachment>;
