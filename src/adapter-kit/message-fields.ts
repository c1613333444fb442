import { z } from "zod";

// Optional fields of native messages. A malformed value is ignored, so that the rest of the message is still parsed.
export const words = z.string().optional().catch(undefined);
export const flag = z.boolean().optional().catch(undefined);
export const count = z.int().nonnegative().optional().catch(undefined);
export const sum = z.number().nonnegative().optional().catch(undefined);
