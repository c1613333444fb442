/** The meaning of an error code, its HTTP status, its exit code, and whether a retry may succeed. */
export interface ErrorMeaning {
  readonly meaning: string;
  readonly httpStatus: number;
  readonly exitCode: number;
  readonly retryable: boolean;
}

/** All error codes with their meaning, HTTP status, exit code and whether a retry may succeed. */
export const errorTable = {
  unauthorized: row("The token is missing or wrong.", 401, 3),
  forbidden: row("The client may not do this: its Origin, Host or permissions forbid it.", 403, 1),
  not_found: row("The URL does not exist on this server.", 404, 2),
  too_large: row(
    "The request body, the message, an attachment or an upload is larger than its limit.",
    413,
    2,
  ),
  unreachable: row("No server responds at this address, or the connection was lost.", 503, 1, true),
  already_running: row("A daemon already runs for this home.", 409, 1),
  invalid_input: row("The request is not valid; the message names the field.", 400, 2),
  invalid_config: row(
    "A configuration file cannot be read or contains a value that is not valid.",
    400,
    2,
  ),
  untrusted_directory: row(
    "A file in an untrusted directory sets a value that requires trust; the message names the file.",
    403,
    2,
  ),
  limit_exceeded: row(
    "A limit would be exceeded, such as one of a project; the message names the limit.",
    429,
    1,
  ),
  unsupported: row("The runtime or host does not support this operation.", 422, 2),
  unknown_runtime: row("No runtime has this name.", 400, 3),
  runtime_unavailable: row(
    "The runtime cannot run on this machine; the message contains the reason.",
    503,
    3,
  ),
  host_unavailable: row(
    "The runtime's host cannot be reached; the message contains the reason.",
    503,
    3,
    true,
  ),
  not_signed_in: row(
    "The runtime has no key or login for its model, or the model rejected it.",
    401,
    3,
  ),
  unknown_model: row("The model does not exist, or the key has no access to it.", 422, 3),
  rate_limited: row(
    "A usage limit of the model's vendor is reached; the message contains the reset time, if it is known.",
    429,
    1,
    true,
  ),
  budget_exceeded: row("A budget is used up, and no user extended it.", 429, 1),
  session_not_found: row("No session has this id.", 404, 4),
  runtime_session_not_found: row("The runtime does not know the session to resume.", 404, 4),
  project_not_found: row("No project has this id.", 404, 4),
  race_not_found: row("No race has this id.", 404, 4),
  request_not_found: row("No open request has this id.", 404, 4),
  not_resumable: row("The session cannot be continued; the message contains the reason.", 409, 4),
  checkpoint_not_found: row("The session has no checkpoint for this turn or with this id.", 404, 4),
  workspace_failed: row(
    "The files of the session cannot be recorded or restored; the message contains the reason.",
    409,
    1,
  ),
  conflict: row("The changes conflict with the user's files; nothing was changed.", 409, 1),
  no_machine: row("No machine in the cluster can run the session.", 503, 3, true),
  machine_unreachable: row("The machine that runs the session does not respond.", 503, 1, true),
  session_stopped: row("The session has ended; resume it to continue.", 409, 1),
  session_owned: row("Another process runs this session.", 409, 1, true),
  start_failed: row("The runtime could not be started.", 502, 1),
  delivery_failed: row("The runtime did not accept the message.", 502, 1, true),
  agent_failed: row("The runtime reported a failure; the message is the runtime's own.", 502, 1),
  invalid_output: row(
    "The answer does not match the message's schema, even after corrections.",
    502,
    1,
    true,
  ),
  agent_exited: row("The runtime exited before the turn ended.", 502, 1, true),
  lost: row(
    "The owning process and the runtime exited. Events received before that are kept.",
    502,
    1,
    true,
  ),
  line_too_long: row(
    "The runtime wrote a line that exceeds the limit; the line was skipped.",
    502,
    1,
  ),
  timed_out: row("A phase exceeded its time limit; the message names the phase.", 504, 124, true),
  cancelled: row("The operation was cancelled.", 409, 130),
  store_failed: row("The session store cannot be used; the message contains the reason.", 500, 1),
  store_full: row("The disk that holds the session store is full.", 507, 1, true),
  store_locked: row("Another process has locked the session store.", 503, 1, true),
  store_unreachable: row("The servers of the session store do not respond.", 503, 1, true),
  store_corrupt: row("The session store is damaged. Undamaged sessions stay readable.", 500, 1),
  internal: row("An internal error in Halyard.", 500, 1),
} as const satisfies Record<string, ErrorMeaning>;

/** The phases of a session or a turn that have a time limit. */
export const phases = [
  "start",
  "ready",
  "ping",
  "first_output",
  "progress",
  "turn",
  "cancel",
  "stop",
] as const;

function row(
  meaning: string,
  httpStatus: number,
  exitCode: number,
  retryable = false,
): ErrorMeaning {
  return { meaning, httpStatus, exitCode, retryable };
}
