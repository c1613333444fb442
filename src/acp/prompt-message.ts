import { HalyardError } from "../errors/error.ts";
import { messageOf } from "../halyard/message-of.ts";
import type { MessageInput } from "../schema/attachment.ts";

/** A content block of a prompt, in either protocol version. */
interface Block {
  readonly type: string;
  readonly text?: unknown;
  readonly uri?: unknown;
  readonly name?: unknown;
  readonly resource?: unknown;
  readonly data?: unknown;
}

/**
 * Converts a prompt with text, links, embedded text and images to a message. Throws `invalid_input` if the prompt has no
 * text or contains other content.
 */
export function promptMessage(prompt: readonly Block[]): string | MessageInput {
  const isImage = ({ type }: Block): boolean => type === "image";
  const text = prompt
    .filter((block) => !isImage(block))
    .map(toText)
    .join("");
  const images = prompt.filter(isImage).map(({ data }) => ({ data: String(data ?? "") }));
  if (text.trim() !== "") return messageOf(text, { images });
  throw new HalyardError(
    "invalid_input",
    "The prompt has no text. Send at least one block of text.",
  );
}

function toText(block: Block): string {
  switch (block.type) {
    case "text":
      return String(block.text ?? "");
    case "resource_link":
      return `[${block.name ?? block.uri}](${block.uri})`;
    case "resource":
      return resourceText(block.resource);
    default:
      throw new HalyardError(
        "invalid_input",
        `A prompt cannot contain ${block.type}. Remove it, or save it to a file and send its path.`,
      );
  }
}

function resourceText(resource: unknown): string {
  if (typeof resource !== "object" || resource === null) return "";
  const uri = "uri" in resource ? String(resource.uri) : "";
  if ("text" in resource && typeof resource.text === "string")
    return `\n<context ref="${uri}">\n${resource.text}\n</context>\n`;
  throw new HalyardError(
    "invalid_input",
    `The resource ${uri} is not text. Send its path as text instead.`,
  );
}
