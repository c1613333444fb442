/**
 * Returns the message inside a JSON error body, which some agents forward from the model. Returns any other text
 * unchanged.
 */
export function plainWords(message: string): string {
  if (!message.startsWith("{")) return message;
  try {
    const body: unknown = JSON.parse(message);
    return messageIn(body) ?? message;
  } catch {
    return message;
  }
}

function messageIn(body: unknown): string | undefined {
  if (typeof body !== "object" || body === null) return undefined;
  if ("message" in body && typeof body.message === "string") return body.message;
  return "error" in body ? messageIn(body.error) : undefined;
}
