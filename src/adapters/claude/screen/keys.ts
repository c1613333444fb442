/**
 * What sends off what stands in Claude's input line and does nothing in a dialog, where Enter would say yes: for a
 * message that begins a turn, Claude's own "send now"; for one that is to wait, which that would not, a key of ours.
 */
export function sendKeys(state: "idle" | "busy", { hasOwnKeys }: { hasOwnKeys: boolean }) {
  if (state === "idle") return ["C-x", "C-s"];
  return hasOwnKeys ? ["C-x", "C-q"] : ["Enter"];
}

/** What goes into Claude's `keybindings.json`, where that is the session's own. */
export const ownKeys = {
  bindings: [{ context: "Chat", bindings: { "ctrl+x ctrl+q": "chat:submit" } }],
};
