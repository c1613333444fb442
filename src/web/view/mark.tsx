/** Shows Halyard's logo: a flag on its line. */
export function Mark({ size = 18 }: { size?: number }) {
  return (
    <svg class="mark" width={size} height={size} viewBox="0 0 20 20" aria-hidden="true">
      <path d="M5 2v16" stroke="currentColor" stroke-width="1.8" stroke-linecap="round" />
      <path d="M5 3 16 7.2 5 11.4z" fill="var(--accent)" />
    </svg>
  );
}

/** Shows two letters that represent a runtime. */
export function RuntimeMark({ name }: { name: string }) {
  const letters = name.replace(/[^a-z]/gi, "").slice(0, 2);
  return (
    <span class="runtime" title={name}>
      {letters.charAt(0).toUpperCase() + letters.slice(1)}
    </span>
  );
}
