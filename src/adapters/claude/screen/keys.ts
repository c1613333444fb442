/**
 * Returns the keys that submit the input line. A message that starts a turn uses Claude's "send now" key. A queued
 * message uses Halyard's key binding, because "send now" would not queue it. Neither key has an effect in a dialog. A
 * session with the user's own configuration does not have the binding and uses Enter, which would confirm a dialog.
 */
export function sendKeys(state: "idle" | "busy", { hasOwnConfig }: { hasOwnConfig: boolean }) {
  if (state === "idle") return ["C-x", "C-s"];
  return hasOwnConfig ? ["C-x", "C-q"] : ["Enter"];
}

/** The content of `keybindings.json` in the session's own configuration. */
export const ownKeys = {
  bindings: [{ context: "Chat", bindings: { "ctrl+x ctrl+q": "chat:submit" } }],
};
