import type { StreamConfig } from "@nats-io/jetstream";
import { isMissing } from "./errors.ts";
import type { NatsClient } from "./nats.ts";
import { repeatRequest } from "./repeat.ts";

/** Creates a stream if it does not exist. Several machines may call this at the same time. */
export async function ensureStream(
  { connection, manager }: NatsClient,
  config: Partial<StreamConfig> & { readonly name: string },
  patienceMs: number,
): Promise<void> {
  const { streams } = manager;
  await repeatRequest(connection, patienceMs, async () => {
    try {
      await streams.info(config.name);
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
