/** The directory of the package that contains the Dockerfile of the agents' image. */
export const imageDirectory = new URL("../../images/agent/", import.meta.url);
