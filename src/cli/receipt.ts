import { HalyardError } from "../core/error.ts";
import type { Turn } from "../core/halyard.ts";
import type { Receipt } from "../schema/delivery.ts";

/** How far a message came; throws where it came nowhere. */
export async function requireTaken({ accepted }: Turn): Promise<Receipt["status"]> {
  const receipt = await accepted;
  if (receipt.status !== "failed") return receipt.status;
  const { code, message, phase } = receipt.error;
  throw new HalyardError(code, message, phase && { phase });
}
