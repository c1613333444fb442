import type { MessageInput } from "../schema/attachment.ts";

/** The parts of a message besides its text. */
type Parts = {
  readonly [Name in Exclude<keyof MessageInput, "text">]?: MessageInput[Name] | undefined;
};

/** Returns the message to send: the text itself, or an object if there are attachments or a schema. */
export function messageOf(
  text: string,
  { images = [], files = [], schema }: Parts,
): string | MessageInput {
  if (images.length + files.length === 0 && schema === undefined) return text;
  return {
    text,
    ...(images.length > 0 && { images }),
    ...(files.length > 0 && { files }),
    ...(schema && { schema }),
  };
}
