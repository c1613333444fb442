import {
  type Readable,
  Readable as ReadableStream,
  type Writable,
  Writable as WritableStream,
} from "node:stream";
import { boundedLines, LONGEST_LINE_BYTES } from "../wire/bounded-lines.ts";
import { connectClient } from "./agent.ts";
import type { AcpContext } from "./context.ts";
import type { AcpSdk } from "./sdk.ts";

/** The streams to the client, and the version that is reported to the client. */
export interface AcpStreams {
  readonly input: Readable;
  readonly output: Writable;
  readonly version: string;
}

/** Serves an ACP agent on two streams until the client disconnects. Supports both protocol versions. */
export async function serveAcp(
  sdk: AcpSdk,
  context: AcpContext,
  { input, output, version }: AcpStreams,
): Promise<void> {
  output.on("error", () => {}); // ignored, because the end of the input also signals that the client disconnected
  const stream = sdk.first.ndJsonStream(
    WritableStream.toWeb(output),
    ReadableStream.toWeb(boundedLines(input, output)),
    { maxMessageBytes: LONGEST_LINE_BYTES },
  );
  await connectClient(sdk, context, { stream, version }).closed;
}
