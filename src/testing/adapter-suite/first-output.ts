import { expect, vi } from "vitest";
import type { Conversation } from "./conversation.ts";
import type { Stage } from "./stage.ts";

/** Waits for the first delta. Without the capability `deltas`, waits until the model receives a request. */
export async function untilFirstOutput(
  { adapter, model }: Stage,
  conversation: Conversation,
  { from = 0, asked = 0 } = {},
): Promise<void> {
  if (adapter.capabilities.includes("deltas")) await conversation.until("delta", from);
  else await vi.waitFor(() => expect(model.requests.length).toBeGreaterThan(asked), TIMEOUT);
}

const TIMEOUT = { timeout: 10_000 };
