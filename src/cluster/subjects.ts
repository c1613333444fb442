/** The NATS subjects and streams of one cluster's workers. */
export interface ClusterSubjects {
  /** The stream of announcements. A message expires with the lease of its worker. */
  readonly nodeStream: string;
  /** Matches the announcements of all workers. */
  readonly nodes: string;
  /** The stream that stores the saved files of sessions. */
  readonly fileStream: string;
  /** Matches the saved files of all sessions. */
  readonly files: string;
  /** Matches everything that is saved for a session. */
  filesOf(sessionId: string): string;
  /** The subject of one piece of a file. */
  piece(sessionId: string, name: string): string;
  /** The subject of a session's file list. */
  saved(sessionId: string): string;
  /** Receives requests for the address of any worker. */
  readonly gateway: string;
  announcement(nodeId: string): string;
  /** Receives requests for the worker's own sessions. */
  own(nodeId: string): string;
  /** Receives requests for all sessions of the cluster. */
  all(nodeId: string): string;
  /** Receives requests about the worker itself. */
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
