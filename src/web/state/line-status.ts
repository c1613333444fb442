import type { Source } from "./source.ts";

/** The state of the connection to the server. */
export type LineState = "connecting" | "live" | "offline" | "signed-out";

/** The observable state of the connection to the server. */
export type LineStatus = Source<LineState>;
