/**
 * Returns the part of a message that is meant for the user. If `enforce` is true, this is the joined text inside all
 * `<final>` tags; the last tag may be unclosed, because the message may still be streaming. Otherwise, it is the whole
 * message.
 */
export function finalText(text: string, { enforce }: { enforce: boolean }): string {
  if (!enforce) return text;
  const parts = [...text.matchAll(/<final>([\s\S]*?)(?:<\/final>|<\/?[a-z]*$|$)/gi)];
  return parts
    .map(([, inside = ""]) => inside)
    .join("")
    .trim();
}
