/** A command that has a key and no visible control. */
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
