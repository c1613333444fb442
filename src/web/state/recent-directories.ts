/** Returns the directories with the most recently active sessions, the newest first. */
export function recentDirectories(
  infos: readonly { readonly cwd: string; readonly updatedAt: string }[],
): string[] {
  const sorted = [...infos].sort((a, b) => b.updatedAt.localeCompare(a.updatedAt));
  return [...new Set(sorted.map(({ cwd }) => cwd))].slice(0, MOST);
}

const MOST = 12;
