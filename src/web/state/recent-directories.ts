/** Returns the working directories of the sessions without duplicates, the most recently active first, at most 12. */
export function recentDirectories(
  infos: readonly { readonly cwd: string; readonly updatedAt: string }[],
): string[] {
  const sorted = [...infos].sort((a, b) => b.updatedAt.localeCompare(a.updatedAt));
  return [...new Set(sorted.map(({ cwd }) => cwd))].slice(0, MOST);
}

const MOST = 12;
