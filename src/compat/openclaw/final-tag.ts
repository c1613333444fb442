/** Returns the part of a message that is meant for the user: all of it, or only the text between the tags. */
export function finalText(text: string, { enforce }: { enforce: boolean }): string {
  if (!enforce) return text;
  const parts = [...text.matchAll(/<final>([\s\S]*?)(?:<\/final>|<\/?[a-z]*$|$)/gi)];
  return parts
    .map(([, inside = ""]) => inside)
    .join("")
    .trim();
}
