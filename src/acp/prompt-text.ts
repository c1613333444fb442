import { HalyardError } from "../core/error.ts";

/** A piece of a prompt, in either version of the protocol. */
interface Block {
  readonly type: string;
  readonly text?: unknown;
  readonly uri?: unknown;
  readonly name?: unknown;
  readonly resource?: unknown;
}

/** A prompt as the text that runtimes take; what is no text is refused, with the reason. */
export function promptText(prompt: readonly Block[]): string {
  const text = prompt.map(toText).join("");
  if (text.trim() !== "") return text;
  throw new HalyardError("invalid_input", "the prompt is empty");
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
        `Halyard's sessions take text, and no ${block.type}: leave it out, or put it into a file and name that`,
      );
  }
}

function resourceText(resource: unknown): string {
  if (typeof resource !== "object" || resource === null) return "";
  const uri = "uri" in resource ? String(resource.uri) : "";
  if ("text" in resource && typeof resource.text === "string")
    return `\n<context ref="${uri}">\n${resource.text}\n</context>\n`;
  throw new HalyardError("invalid_input", `${uri} is no text: name its file in place of it`);
}
