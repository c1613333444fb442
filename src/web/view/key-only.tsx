/** Adds a keyboard shortcut for a command that has no visible control. */
export function KeyOnly({ name, onPress }: { name: string; onPress(): void }) {
  return (
    <button
      type="button"
      class="key-only"
      tabIndex={-1}
      aria-hidden="true"
      data-key={name}
      onClick={onPress}
    />
  );
}
