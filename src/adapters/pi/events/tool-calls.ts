/** Builds Pi tool calls for the scripted model. */
export const piToolCalls = {
  write: (path: string, content: string) => ({ name: "write", input: { path, content } }),
  shell: (command: string) => ({ name: "bash", input: { command } }),
  edit: (path: string, oldText: string, newText: string) => ({
    name: "edit",
    input: { path, edits: [{ oldText, newText }] },
  }),
};
