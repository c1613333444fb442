/** `~/.gastown/runtimes.json` as seed 001 prints it. */
export const seedRegistry = `{
  "default": "claude",
  "runtimes": {
    "claude": {
      "bin": "claude",
      "ready": "prompt",
      "delivery": "tmux"
    },
    "codex": {
      "bin": "codex",
      "ready": "warmup",
      "delivery": "stdin"
    }
  }
}
`;
