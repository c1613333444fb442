/** True if the path equals the directory or is below it. Both must be absolute, normalized and free of links. */
export function isWithin(path: string, directory: string): boolean {
  if (path === directory) return true;
  return path.startsWith(directory.endsWith("/") ? directory : `${directory}/`);
}
