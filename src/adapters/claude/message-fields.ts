import { z } from "zod";

// What is not as we know it is left out, so that the message around it is still understood.
export const words = z.string().optional().catch(undefined);
export const count = z.int().nonnegative().optional().catch(undefined);
export const sum = z.number().nonnegative().optional().catch(undefined);
