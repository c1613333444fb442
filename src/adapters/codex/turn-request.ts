import { dataUrl } from "../../adapter-kit/data-url.ts";
import type { TurnInput } from "../../contracts/adapter.ts";
import { type JsonSchema, withSchema } from "../../schema/conversation/json-schema.ts";
import type { SlashCommand } from "../../schema/conversation/slash-command.ts";

/** The parts of a message that Codex receives as input. */
export type MessageContent = Pick<TurnInput, "text" | "images">;

/** Commands that the adapter maps to app-server methods, because the server has no slash commands. */
export const codexCommands: readonly SlashCommand[] = [
  {
    name: "review",
    description: "Review the uncommitted changes, or follow the given instructions",
    hint: "[instructions]",
  },
];

/** Returns the request that starts a message's turn, without the thread id. */
export function turnRequest(input: TurnInput): { method: string; params: object } {
  const [command, instructions] = /^\/review(?:\s+(.*))?$/s.exec(input.text.trim()) ?? [];
  if (command !== undefined) {
    const target = instructions ? { type: "custom", instructions } : { type: "uncommittedChanges" };
    return { method: "review/start", params: { target } };
  }
  const { turnId: clientUserMessageId, schema, text } = input;
  const isNative = schema !== undefined && isStrict(schema);
  const message = schema && !isNative ? { ...input, text: withSchema(text, schema) } : input;
  const outputSchema = isNative ? { outputSchema: schema } : {};
  return {
    method: "turn/start",
    params: { clientUserMessageId, input: toInput(message), ...outputSchema },
  };
}

/** Returns a message's content in Codex's format: the images, then the text. */
export function toInput({ text, images = [] }: MessageContent) {
  return [
    ...images.map((image) => ({ type: "image", url: dataUrl(image) })),
    { type: "text", text },
  ];
}

/**
 * True if OpenAI accepts the schema. OpenAI rejects objects with optional or additional properties, and a schema whose
 * value is not an object. Halyard sends such a schema as text in the message.
 */
function isStrict(schema: JsonSchema): boolean {
  return schema.type === "object" && isStrictPart(schema);
}

function isStrictPart(part: unknown): boolean {
  if (Array.isArray(part)) return part.every(isStrictPart);
  if (typeof part !== "object" || part === null) return true;
  const { type, properties, required, additionalProperties, ...others }: Record<string, unknown> = {
    ...part,
  };
  if (type === "object" || properties !== undefined) {
    const names = Object.keys(Object(properties));
    const all = Array.isArray(required) && names.every((name) => required.includes(name));
    if (additionalProperties !== false || !(all || names.length === 0)) return false;
  }
  return Object.values({ ...others, ...Object(properties) }).every(isStrictPart);
}
