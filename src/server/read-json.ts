import { HalyardError } from "../core/error.ts";
import { BODY_BYTES } from "../schema/body-limit.ts";

/** The body of a request; nothing at all is as good as an empty object. */
export async function readJson(request: Request): Promise<unknown> {
  const text = await readText(request);
  if (text === "") return {};
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new HalyardError("invalid_input", "the body is no JSON", { cause: error });
  }
}

async function readText(request: Request): Promise<string> {
  if (Number(request.headers.get("content-length") ?? 0) > BODY_BYTES) throw tooLarge();
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of request.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > BODY_BYTES) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function tooLarge(): HalyardError {
  return new HalyardError("too_large", `a body may have ${BODY_BYTES} bytes at most`);
}
