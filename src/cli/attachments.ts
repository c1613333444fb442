import { readFile, stat } from "node:fs/promises";
import { basename } from "node:path";
import { HalyardError } from "../errors/error.ts";
import { fileReason } from "../errors/file-reason.ts";
import { imageTypeOf } from "../halyard/image-type.ts";
import { messageOf } from "../halyard/message-of.ts";
import { FILE_BYTES, IMAGE_BYTES, type MessageInput } from "../schema/attachment.ts";
import { JsonSchema } from "../schema/conversation/json-schema.ts";

/** The flags that add files and a schema to a message. */
export interface AttachmentFlags {
  readonly image?: readonly string[];
  readonly file?: readonly string[];
  /** The file with the JSON Schema of the answer. */
  readonly schema?: string;
}

/**
 * Reads the attached files and the schema, and returns the message with them. Throws if a file cannot be read or is too
 * large, if a file in `image` is not an image, if a file in `file` is not UTF-8 text, or if the schema is not a JSON object.
 */
export async function attach(
  text: string,
  { image = [], file = [], schema }: AttachmentFlags,
): Promise<string | MessageInput> {
  const images = await Promise.all(
    image.map(async (path) => ({
      name: basename(path),
      data: (await readImage(path)).toString("base64"),
    })),
  );
  const files = await Promise.all(
    file.map(async (path) => ({ name: basename(path), text: await readText(path) })),
  );
  return messageOf(text, {
    images,
    files,
    schema: schema === undefined ? undefined : await readSchema(schema),
  });
}

async function readSchema(path: string): Promise<JsonSchema> {
  const content = await read(path, schemaFile);
  try {
    return JsonSchema.parse(JSON.parse(decode(content)));
  } catch (cause) {
    const reason =
      cause instanceof SyntaxError
        ? cause.message
        : cause instanceof TypeError
          ? "it is not text"
          : "it is not an object";
    throw new HalyardError(
      "invalid_input",
      `${path} is not a JSON Schema: ${reason}. Correct the file and try again.`,
      { cause },
    );
  }
}

async function readImage(path: string): Promise<Buffer> {
  const content = await read(path, imageFile);
  if (imageTypeOf(content)) return content;
  const advice = "Convert it to PNG, or attach a text file with --file.";
  throw new HalyardError(
    "invalid_input",
    `${path} is not a PNG, JPEG, GIF or WebP image. ${advice}`,
  );
}

async function readText(path: string): Promise<string> {
  const content = await read(path, textFile);
  try {
    return decode(content);
  } catch (cause) {
    const advice = "Attach an image with --image, or ask the agent to read the file.";
    throw new HalyardError("invalid_input", `${path} is not text. ${advice}`, { cause });
  }
}

/** Throws a `TypeError` if the content is not UTF-8. */
function decode(content: Buffer): string {
  return new TextDecoder("utf-8", { fatal: true }).decode(content);
}

/** A kind of file that a flag accepts, with its size limit and the text for its error messages. */
interface FileKind {
  /** The maximum size in bytes. */
  readonly limit: number;
  readonly what: string;
  /** The action that fails if the file cannot be read. */
  readonly action: string;
  readonly adviceIfTooLarge: string;
}

const attached = {
  action: "attach",
  adviceIfTooLarge: "Ask the agent to read the file instead.",
};
const imageFile: FileKind = { ...attached, limit: IMAGE_BYTES, what: "an attached image" };
const textFile: FileKind = { ...attached, limit: FILE_BYTES, what: "an attached file" };
const schemaFile: FileKind = {
  limit: FILE_BYTES,
  what: "a schema",
  action: "read the schema",
  adviceIfTooLarge: "Shorten it and try again.",
};

async function read(path: string, kind: FileKind): Promise<Buffer> {
  const { limit, what, action, adviceIfTooLarge } = kind;
  try {
    const { size } = await stat(path);
    if (size <= limit) return await readFile(path);
  } catch (cause) {
    throw new HalyardError(
      "invalid_input",
      `Cannot ${action} ${path}: ${fileReason(cause)}. Check its path and permissions.`,
      { cause },
    );
  }
  throw new HalyardError(
    "too_large",
    `${path} is larger than ${limit / 1024 / 1024} MiB, the limit for ${what}. ${adviceIfTooLarge}`,
  );
}
