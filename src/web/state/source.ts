import { useLayoutEffect, useReducer } from "preact/hooks";

/** A value that views observe. */
export interface Source<T> {
  get(): T;
  set(value: T): void;
  /** Calls the listener after each change. Returns a function that ends the subscription. */
  subscribe(listener: () => void): () => void;
}

/** Creates an observable value. */
export function createSource<T>(initial: T): Source<T> {
  let current = initial;
  const listeners = new Set<() => void>();
  return {
    get: () => current,
    set(value) {
      if (Object.is(value, current)) return;
      current = value;
      for (const listener of [...listeners]) listener();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** Returns a source's value, and renders the component again when it changes. */
export function useSource<T>(source: Source<T>): T {
  const [, render] = useReducer((count: number) => count + 1, 0);
  const value = source.get();
  useLayoutEffect(() => {
    // renders again if the value changed before the subscription started
    if (!Object.is(source.get(), value)) render(undefined);
    return source.subscribe(() => render(undefined));
  }, [source]);
  return value;
}
