/** Formats a duration: `850 ms`, `2.4 s`, `3 min 12 s`, `30 min`, `2 h 5 min`. */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${(ms / 1000).toFixed(1)} s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60
    ? units(minutes, "min", seconds % 60, "s")
    : units(Math.floor(minutes / 60), "h", minutes % 60, "min");
}

/** Formats a value in two units. Omits the smaller unit if it is zero. */
function units(large: number, name: string, small: number, smallName: string): string {
  return small === 0 ? `${large} ${name}` : `${large} ${name} ${small} ${smallName}`;
}

/** Formats a number: `950`, `1.2k`, `34k`, `1.5M`. */
export function formatCount(value: number): string {
  if (value < 1000) return String(value);
  if (value < 9950) return `${(value / 1000).toFixed(1)}k`;
  if (value < 999_500) return `${Math.round(value / 1000)}k`;
  return `${(value / 1_000_000).toFixed(1)}M`;
}
