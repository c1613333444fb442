import type { Output } from "../../../contracts/adapter.ts";

/**
 * Denies a planning session's permission requests and removes them from the output, because a planning session changes
 * nothing.
 */
export async function* denyPermissions(
  output: AsyncIterable<readonly Output[]>,
  { isPlanning, deny }: { isPlanning(): boolean; deny(nativeId: string): void },
): AsyncGenerator<readonly Output[]> {
  for await (const batch of output) {
    if (!isPlanning()) {
      yield batch;
      continue;
    }
    yield batch.map(({ drafts, ...rest }) => ({
      ...rest,
      drafts: drafts.filter((draft) => {
        const isDenied = draft.type === "request" && draft.kind === "permission";
        if (isDenied) deny(draft.nativeId);
        return !isDenied;
      }),
    }));
  }
}
