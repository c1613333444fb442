import type { PageApp } from "./app.ts";

/** The page's keyboard shortcuts, as the help lists them. */
export const keyHelp: readonly (readonly [keys: string, what: string])[] = [
  ["j / k", "Next or previous session"],
  ["enter", "Write a message"],
  ["a", "Allow the request"],
  ["A", "Allow always"],
  ["d", "Deny, with a reason"],
  ["i", "Inbox"],
  ["n", "New session"],
  ["c", "Show or hide the changes"],
  ["f", "Find in the session"],
  ["v", "Show the screen or the transcript"],
  ["m", "Session menu"],
  ["s", "Interrupt the turn"],
  ["g / G", "Beginning or end of the transcript"],
  ["u", "Usage"],
  [",", "Settings"],
  ["/", "Search"],
  ["t", "Colors: system, dark, light"],
  ["esc", "Leave a field, close a dialog, go back"],
  ["?", "This list"],
];

/**
 * Handles keyboard shortcuts. A key clicks or focuses the visible element with that key in `data-key`, so that a
 * shortcut works only while its control is on the page.
 */
export function openKeys(app: PageApp, document: Document): void {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (event.key === "Escape") return leave(app, document);
    if (isTyping(event.target)) return;
    const scope = document.querySelector("dialog[open]") ?? document;
    const target = find(scope, event.key);
    if (!target) return;
    event.preventDefault();
    if (target.matches("input, textarea")) target.focus();
    else target.click();
  });
}

function find(scope: ParentNode, key: string): HTMLElement | undefined {
  if (key === "Enter" && scope.querySelector(":focus-visible:is(button, a, summary)"))
    return undefined;
  const name = key === "Enter" ? "enter" : key;
  const controls = scope.querySelectorAll<HTMLElement>(`[data-key="${CSS.escape(name)}"]`);
  return [...controls].find((control) => control.getClientRects().length > 0);
}

function leave(app: PageApp, document: Document): void {
  const { activeElement } = document;
  if (app.dialog.get()) app.dialog.set(undefined);
  else if (isTyping(activeElement) && activeElement instanceof HTMLElement) activeElement.blur();
  // the last match, because it is the innermost one
  else [...document.querySelectorAll<HTMLElement>('[data-key="esc"]')].at(-1)?.click();
}

function isTyping(target: unknown): boolean {
  return (
    target instanceof HTMLElement && target.matches("input, textarea, select, [contenteditable]")
  );
}
