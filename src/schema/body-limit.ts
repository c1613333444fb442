/** The largest body of a request that is read: several times the largest message anybody has sent in earnest. */
export const BODY_BYTES = 8 * 1024 * 1024;
