/** Returns the entries from a leaf to the root of a tree. */
export function branchTo<T>(leaf: T | undefined, parentOf: (entry: T) => T | undefined): Set<T> {
  const branch = new Set<T>();
  for (let entry = leaf; entry !== undefined && !branch.has(entry); entry = parentOf(entry))
    branch.add(entry);
  return branch;
}
