import type { Session } from "../contracts/halyard.ts";

/** Returns the session with the name of its machine in `info`. Forks of the session also have the name. */
export function onMachine(session: Session, machine: string): Session {
  return new Proxy(session, {
    get(target, name) {
      if (name === "info") return { ...target.info, machine };
      if (name === "fork")
        return async (...args: Parameters<Session["fork"]>) =>
          onMachine(await target.fork(...args), machine);
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
