/**
 * Returns the part of a message that is meant for the user: the text between `<final>` and `</final>` if `enforce` is
 * true, otherwise the whole message.
 */
export function finalText(text: string, { enforce }: { enforce: boolean }): string {
  if (!enforce) return text;
  const parts = [...text.matchAll(/<final>([\s\S]*?)(?:<\/final>|<\/?[a-z]*$|$)/gi)];
  return parts
    .map(([, inside = ""]) => inside)
    .join("")
    .trim();
}
