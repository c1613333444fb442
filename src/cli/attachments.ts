import { readFile, stat } from "node:fs/promises";
import { basename } from "node:path";
import { HalyardError } from "../errors/error.ts";
import { fileReason } from "../errors/file-reason.ts";
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
 * Reads the attached files and returns the message with them. Throws if a file cannot be read or is too large, if a
 * file that is not an image is not text, or if the schema is invalid.
 */
export async function attach(
  text: string,
  { image = [], file = [], schema }: AttachmentFlags,
): Promise<string | MessageInput> {
  const images = await Promise.all(
    image.map(async (path) => ({
      name: basename(path),
      data: (await read(path, IMAGE_BYTES, "attached image")).toString("base64"),
    })),
  );
  const files = await Promise.all(
    file.map(async (path) => ({
      name: basename(path),
      text: await readText(path, "attached file"),
    })),
  );
  return messageOf(text, {
    images,
    files,
    schema: schema === undefined ? undefined : await readSchema(schema),
  });
}

async function readSchema(path: string): Promise<JsonSchema> {
  try {
    return JsonSchema.parse(JSON.parse(await readText(path, "schema")));
  } catch (cause) {
    if (cause instanceof HalyardError) throw cause;
    const reason = cause instanceof SyntaxError ? cause.message : "it is not an object";
    throw new HalyardError(
      "invalid_input",
      `${path} is not a JSON Schema: ${reason}. Correct the file and try again.`,
      { cause },
    );
  }
}

async function readText(path: string, what: "attached file" | "schema"): Promise<string> {
  const content = await read(path, FILE_BYTES, what);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(content);
  } catch (cause) {
    const advice =
      what === "schema"
        ? "Pass a JSON file with --schema."
        : "Attach an image with --image, or ask the agent to read the file.";
    throw new HalyardError("invalid_input", `${path} is not text. ${advice}`, { cause });
  }
}

async function read(path: string, limit: number, what: string): Promise<Buffer> {
  try {
    const { size } = await stat(path);
    if (size <= limit) return await readFile(path);
  } catch (cause) {
    throw new HalyardError(
      "invalid_input",
      `Cannot read the ${what} ${path}: ${fileReason(cause)}. Check its path and permissions.`,
      {
        cause,
      },
    );
  }
  const advice =
    what === "schema" ? "Pass a smaller schema." : "Ask the agent to read the file instead.";
  throw new HalyardError(
    "too_large",
    `The ${what} ${path} is larger than the limit of ${limit / 1024 / 1024} MiB. ${advice}`,
  );
}
