/** What the agents' image is made from; it comes with the package. */
export const agentDockerfile = new URL("../../images/agent/Dockerfile", import.meta.url);
