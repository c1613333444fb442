/** On every answer: it is of this moment, and it is what it says it is. */
export const plainHeaders = { "cache-control": "no-store", "x-content-type-options": "nosniff" };
