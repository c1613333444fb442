/** The NATS subjects and streams of one cluster's workers. */
export interface ClusterSubjects {
  /** The stream of announcements. A message expires with the lease of its worker. */
  readonly nodeStream: string;
  /** The subject that matches the announcements of all workers. */
  readonly nodes: string;
  /** The stream that stores the saved files of sessions. */
  readonly fileStream: string;
  /** The subject that matches the saved files of all sessions. */
  readonly files: string;
  /** The subject that matches everything that is saved for a session. */
  filesOf(sessionId: string): string;
  /** The subject of one piece of a file. */
  piece(sessionId: string, name: string): string;
  /** The subject of a session's file list. */
  saved(sessionId: string): string;
  /** The subject of requests for the address of any worker. */
  readonly gateway: string;
  announcement(nodeId: string): string;
  /** The subject of requests for the worker's own sessions. */
  own(nodeId: string): string;
  /** The subject of requests for all sessions of the cluster, which the worker handles. */
  all(nodeId: string): string;
  /** The subject of requests to the worker itself, such as a drain. */
  control(nodeId: string): string;
}

/** Returns the subjects of a cluster. */
export function clusterSubjects(cluster: string): ClusterSubjects {
  const prefix = `halyard.${cluster}`;
  return {
    nodeStream: `halyard-${cluster}-nodes`,
    nodes: `${prefix}.announced.*`,
    fileStream: `halyard-${cluster}-files`,
    files: `${prefix}.files.>`,
    filesOf: (sessionId) => `${prefix}.files.${sessionId}.>`,
    piece: (sessionId, name) => `${prefix}.files.${sessionId}.piece.${name}`,
    saved: (sessionId) => `${prefix}.files.${sessionId}.saved`,
    gateway: `${prefix}.gateway`,
    announcement: (nodeId) => `${prefix}.announced.${nodeId}`,
    own: (nodeId) => `${prefix}.node.${nodeId}.own`,
    all: (nodeId) => `${prefix}.node.${nodeId}.all`,
    control: (nodeId) => `${prefix}.node.${nodeId}.control`,
  };
}
