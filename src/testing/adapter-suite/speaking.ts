import { expect, vi } from "vitest";
import type { Conversation } from "./conversation.ts";
import type { Stage } from "./stage.ts";

/** Waits until the model speaks. Where words come only when all are said, that it was asked is all there is to see. */
export async function speaking(
  { adapter, model }: Stage,
  conversation: Conversation,
  { from = 0, asked = 0 } = {},
): Promise<void> {
  if (adapter.capabilities.includes("deltas")) await conversation.until("delta", from);
  else await vi.waitFor(() => expect(model.requests.length).toBeGreaterThan(asked), PATIENCE);
}

const PATIENCE = { timeout: 10_000 };
