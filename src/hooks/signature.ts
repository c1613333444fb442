import { createHmac } from "node:crypto";

/** The parts of a Standard Webhooks message that are signed. */
export interface SignedMessage {
  readonly id: string;
  /** The Unix time in seconds. */
  readonly timestamp: number;
  readonly body: string;
}

/** Returns the value of the `webhook-signature` header, as defined by Standard Webhooks. */
export function sign(secret: string, { id, timestamp, body }: SignedMessage): string {
  const hmac = createHmac("sha256", keyOf(secret)).update(`${id}.${timestamp}.${body}`);
  return `v1,${hmac.digest("base64")}`;
}

/** Returns the signing key: the decoded base64 text after a `whsec_` prefix, otherwise the secret as UTF-8 text. */
function keyOf(secret: string): Buffer {
  const encoded = /^whsec_(.+)$/.exec(secret)?.[1];
  return encoded === undefined ? Buffer.from(secret, "utf8") : Buffer.from(encoded, "base64");
}
