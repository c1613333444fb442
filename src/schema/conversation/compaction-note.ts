/**
 * Returns a sentence about the state of a compaction, for an event without a text. A runtime that reports no state
 * reports only the end.
 */
export function compactionNote(state: unknown): string {
  switch (state) {
    case "started":
      return "Compacting the conversation";
    case "aborted":
      return "The compaction was cancelled";
    case "failed":
      return "The compaction failed";
    default:
      return "The conversation was compacted";
  }
}
