import { z } from "zod";
import { SessionId } from "../id.ts";

/** The maximum lifetime of a sign-in code in milliseconds. */
const LONGEST_MS = 600_000;

/** The request body that creates a sign-in code. */
export const SignInCodeBody = z.strictObject({
  /** How long the code is valid, in milliseconds. Defaults to 60,000. */
  lifetimeMs: z.number().int().positive().max(LONGEST_MS).default(60_000),
});

/** A one-time code that signs in a browser. */
export const SignInCode = z.strictObject({
  code: z.string(),
  expiresAt: z.iso.datetime(),
  /** The address of the page that signs in with the code, if the server serves one. */
  url: z.string().optional(),
});
export type SignInCode = z.infer<typeof SignInCode>;

/** The request body that exchanges a code for a cookie. */
export const SignInBody = z.strictObject({ code: z.string().min(1).max(200) });

/** A browser that is signed in, without its secret. */
export const SignedInBrowser = z.strictObject({
  /** The digest of the secret in the browser's cookie. */
  digest: z.string(),
  /** When the sign-in expires. */
  expiresAt: z.iso.datetime(),
  /** The session that a shared link shows. The link's secret grants read access to this session only. */
  share: z.strictObject({ sessionId: SessionId, exposed: z.boolean() }).optional(),
});
export type SignedInBrowser = z.infer<typeof SignedInBrowser>;
