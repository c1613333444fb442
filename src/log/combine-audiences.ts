import type { Audience } from "../contracts/audience.ts";

/**
 * Returns an audience that forwards all events to several audiences. Returns undefined if the list contains no
 * audience.
 */
export function combineAudiences(given: readonly (Audience | undefined)[]): Audience | undefined {
  const audiences = given.filter((audience) => audience !== undefined);
  if (audiences.length <= 1) return audiences[0];
  return {
    attend(session) {
      const listeners = audiences.map((audience) => audience.attend(session));
      return (events, info) => {
        for (const listener of listeners) listener(events, info);
      };
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(audiences.map((audience) => audience[Symbol.asyncDispose]()));
    },
  };
}
