import type { NatsClient } from "./nats.ts";

/**
 * Deletes the last message of a subject by its sequence. Does not purge the subject: if replicated servers before
 * 2.9.19 restart after a purge, they also lose the earlier messages of all other subjects. Returns false if the message
 * was stored at or after the sequence `before` and is therefore kept.
 */
export async function deleteLast(
  { manager }: NatsClient,
  stream: string,
  { subject, before = Number.POSITIVE_INFINITY }: { subject: string; before?: number },
): Promise<boolean> {
  const { streams } = manager;
  const find = () => streams.getMessage(stream, { last_by_subj: subject });
  const found = await find();
  if (found === null) return true;
  if (found.seq >= before) return false;
  try {
    await streams.deleteMessage(stream, found.seq, false);
  } catch (error) {
    // An earlier attempt may have deleted the message although the response was lost.
    if ((await find())?.seq === found.seq) throw error;
  }
  return true;
}
