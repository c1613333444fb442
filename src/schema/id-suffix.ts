/** The part of an id after its prefix, in a module without zod so that the client stays small. */
export const idSuffix = /^[0-9a-z]{16}$/;
