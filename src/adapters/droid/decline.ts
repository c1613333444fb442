import type { Output } from "../../core/adapter.ts";

/** Answers for the user what is asked for permission, before anybody else can: a session that plans changes nothing. */
export async function* declineRequests(
  output: AsyncIterable<readonly Output[]>,
  { isPlanning, decline }: { isPlanning(): boolean; decline(nativeId: string): void },
): AsyncGenerator<readonly Output[]> {
  for await (const batch of output) {
    if (!isPlanning()) {
      yield batch;
      continue;
    }
    yield batch.map(({ drafts, ...rest }) => ({
      ...rest,
      drafts: drafts.filter((draft) => {
        const isDeclined = draft.type === "request" && draft.kind === "permission";
        if (isDeclined) decline(draft.nativeId);
        return !isDeclined;
      }),
    }));
  }
}
