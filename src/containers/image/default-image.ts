/** The image that `halyard image build` makes, and that sessions run in unless they name another. */
export const DEFAULT_IMAGE = "localhost/halyard-agent:latest";
