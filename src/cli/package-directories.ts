/** The directory in this package that contains the Dockerfile of the agent image. */
export const imageDirectory = new URL("../../images/agent/", import.meta.url);

/** The directory in this package that contains a lockfile for each package that is installed on demand. */
export const locksDirectory = new URL("../../locks/", import.meta.url);
