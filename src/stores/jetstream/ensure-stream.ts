import type { StreamConfig, StreamInfo } from "@nats-io/jetstream";
import { HalyardError } from "../../errors/error.ts";
import { isMissing } from "./errors.ts";
import type { NatsClient } from "./nats.ts";
import { repeatRequest } from "./repeat.ts";

/**
 * Creates a stream if it does not exist. Several machines may call this function at the same time. Rejects if the stream
 * denies deletions, because this setting of a stream cannot be changed.
 */
export async function ensureStream(
  { connection, manager }: NatsClient,
  config: Partial<StreamConfig> & { readonly name: string },
  patienceMs: number,
): Promise<void> {
  const { streams } = manager;
  await repeatRequest(connection, patienceMs, async () => {
    try {
      const { config: existing }: StreamInfo = await streams.info(config.name);
      if (existing.deny_delete) throw deniesDeletions(config.name, connection.getServer());
    } catch (error) {
      if (!isMissing(error)) throw error;
      await streams.add(config).catch(async (refusal: unknown) => {
        // Another machine may have created the stream in the meantime.
        await streams.info(config.name).catch(() => {
          throw refusal;
        });
      });
    }
  });
}

function deniesDeletions(stream: string, server: string): HalyardError {
  return new HalyardError(
    "store_failed",
    `The stream ${stream} on ${server} denies deletions, because an earlier version of Halyard created it. This cannot be changed. Use another cluster with "--cluster-name NAME", or delete the stream with all of its sessions: "nats stream rm ${stream}".`,
  );
}
