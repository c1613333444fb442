/** What of a message is for the user: all of it, or only what stands between the tags. */
export function finalText(text: string, { enforce }: { enforce: boolean }): string {
  if (!enforce) return text;
  const parts = [...text.matchAll(/<final>([\s\S]*?)(?:<\/final>|<\/?[a-z]*$|$)/gi)];
  return parts
    .map(([, inside = ""]) => inside)
    .join("")
    .trim();
}
