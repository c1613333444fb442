/** The ways for a message to get into a runtime. Without zod, for the client in a browser. */
export const inputWays = ["stdin", "rpc", "tmux"] as const;
