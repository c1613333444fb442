import {
  type Readable,
  Readable as ReadableStream,
  type Writable,
  Writable as WritableStream,
} from "node:stream";
import { boundedLines, LONGEST_LINE_BYTES } from "../wire/bounded-lines.ts";
import type { AcpContext } from "./context.ts";
import type { AcpSdk } from "./sdk.ts";
import { Service } from "./service.ts";
import { firstApp } from "./version-1/app.ts";
import { secondApp } from "./version-2/app.ts";

/** Streams to the client, and the version that is reported to it. */
export interface AcpStreams {
  readonly input: Readable;
  readonly output: Writable;
  readonly version: string;
}

/** Serves an ACP agent on two streams until the client disconnects. Supports both versions of the protocol. */
export async function serveAcp(
  sdk: AcpSdk,
  context: AcpContext,
  { input, output, version }: AcpStreams,
): Promise<void> {
  const service = new Service(sdk, context, { name: "halyard", title: "Halyard", version });
  output.on("error", () => {}); // a disconnected client is detected on the input
  const stream = sdk.first.ndJsonStream(
    WritableStream.toWeb(output),
    ReadableStream.toWeb(boundedLines(input, output)),
    {
      maxMessageBytes: LONGEST_LINE_BYTES,
    },
  );
  const { closed } = sdk.second
    .agentProtocolRouter()
    .withV1(firstApp(service))
    .withV2(secondApp(service))
    .connect(stream);
  await closed;
  await service.close();
}
