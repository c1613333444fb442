/**
 * True if a Node version satisfies a range such as `>=22.19.0`. Compares only the major and minor version. Returns true
 * for a range of any other form.
 */
export function satisfiesNode(version: string, range: string): boolean {
  const least = /^>=\s*(\d+)(?:\.(\d+))?/.exec(range);
  if (least === null) return true;
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [wantedMajor, wantedMinor] = [Number(least[1]), Number(least[2] ?? 0)];
  return major > wantedMajor || (major === wantedMajor && minor >= wantedMinor);
}
