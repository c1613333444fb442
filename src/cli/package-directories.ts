/** The directory of this package that contains the Dockerfile of the agents' image. */
export const imageDirectory = new URL("../../images/agent/", import.meta.url);

/** The directory of this package that contains a lockfile for every package that is installed on demand. */
export const locksDirectory = new URL("../../locks/", import.meta.url);
