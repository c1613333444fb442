/**
 * A promise with its `resolve` function, of which only the first call has an effect. Node 20 has no
 * `Promise.withResolvers`.
 */
export interface Deferred<T> {
  readonly promise: Promise<T>;
  resolve(value: T): void;
}

/** Creates a promise that is resolved from outside. */
export function createDeferred<T>(): Deferred<T> {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((fulfill) => {
    resolve = fulfill;
  });
  return { promise, resolve };
}
