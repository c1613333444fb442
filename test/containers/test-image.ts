/** The image that the container tests run in. */
export const TEST_IMAGE = "localhost/halyard-agent:test";
