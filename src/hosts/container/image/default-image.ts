/** The image that `halyard image build` creates and that sessions use by default. */
export const DEFAULT_IMAGE = "localhost/halyard-agent:latest";
