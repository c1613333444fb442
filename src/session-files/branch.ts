/** The way from an entry of a tree up to its root, the entry first. */
export function branchTo<T>(leaf: T | undefined, parentOf: (entry: T) => T | undefined): Set<T> {
  const branch = new Set<T>();
  for (let entry = leaf; entry !== undefined && !branch.has(entry); entry = parentOf(entry))
    branch.add(entry);
  return branch;
}
