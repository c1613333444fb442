/** Headers of every response: not cached, and interpreted only as its content type. */
export const plainHeaders = { "cache-control": "no-store", "x-content-type-options": "nosniff" };
