import { z } from "zod";

// Fields of a program's messages that nothing depends on. What is not as we know it is left out, so that the message
// around it is still understood.
export const words = z.string().optional().catch(undefined);
export const flag = z.boolean().optional().catch(undefined);
export const count = z.int().nonnegative().optional().catch(undefined);
export const sum = z.number().nonnegative().optional().catch(undefined);
