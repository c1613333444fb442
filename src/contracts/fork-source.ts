/** The conversation that a fork copies. Its session may be live, but has no running turn. */
export interface ForkSource {
  /** The runtime's id for the conversation. */
  readonly runtimeSessionId: string;
  /**
   * The state directory of the original session. The adapter copies files from it and does not change it. Undefined if
   * the runtime recorded the conversation without Halyard: the record is then in the user's own directory of the
   * runtime. Set to undefined only if the adapter has the capability `native-sessions`.
   */
  readonly stateDir?: string | undefined;
}
