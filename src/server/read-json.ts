import { HalyardError } from "../errors/error.ts";
import { BODY_BYTES } from "../schema/constants.ts";

/**
 * Parses the body of a request. An empty body counts as an empty object. Rejects a body that is not JSON or exceeds the
 * size limit.
 */
export async function readJsonBody(request: Request): Promise<unknown> {
  const text = await readText(request);
  if (text === "") return {};
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new HalyardError(
      "invalid_input",
      "The request body is not valid JSON. Send a JSON object.",
      {
        cause: error,
      },
    );
  }
}

/** Returns the request with its whole body in memory. Rejects a body over the size limit. */
export async function withCompleteBody(request: Request): Promise<Request> {
  const { url, method, headers, signal } = request;
  if (method === "GET" || method === "HEAD") return request;
  return new Request(url, { method, headers, signal, body: await readText(request) });
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
  return new HalyardError(
    "too_large",
    `The request body is larger than ${BODY_BYTES / 1024 / 1024} MiB. Send a smaller body.`,
  );
}
