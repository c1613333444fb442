/** What an error code means, and how HTTP and the command line report it. */
export interface ErrorMeaning {
  readonly meaning: string;
  readonly httpStatus: number;
  readonly exitCode: number;
  readonly retryable: boolean;
}

/** Every error Halyard can give, in one place: what it means, and how HTTP and the shell hear of it. */
export const errorTable = {
  unauthorized: row("The token is missing or wrong.", 401, 3),
  forbidden: row("The client may not do this: its Origin, Host or permissions forbid it.", 403, 1),
  not_found: row("Nothing is at this address.", 404, 2),
  too_large: row("The request is larger than the server takes.", 413, 2),
  unreachable: row("No Halyard answers there, or it went away.", 503, 1, true),
  already_running: row("A daemon runs for this home already.", 409, 1),
  invalid_input: row("The request itself is wrong; the message says where.", 400, 2),
  invalid_config: row("A configuration file cannot be read or holds a wrong value.", 400, 2),
  untrusted_directory: row(
    "A file of an untrusted directory asks for what only a trusted one may decide; the message names the file.",
    403,
    2,
  ),
  limit_exceeded: row("A limit of the project would be exceeded; the message says which.", 429, 1),
  unsupported: row("This runtime or host cannot do what was asked.", 422, 2),
  unknown_runtime: row("No runtime has this name.", 400, 3),
  runtime_unavailable: row(
    "The runtime is known but cannot run here; the message says why.",
    503,
    3,
  ),
  host_unavailable: row(
    "Where the runtime lives cannot be reached; the message says why.",
    503,
    3,
    true,
  ),
  not_signed_in: row("The runtime has no key or login for its model, or it was refused.", 401, 3),
  unknown_model: row("The model does not exist, or the key has no access to it.", 422, 3),
  session_not_found: row("No session has this id.", 404, 4),
  runtime_session_not_found: row("The runtime does not know the session to be resumed.", 404, 4),
  project_not_found: row("No project has this id.", 404, 4),
  request_not_found: row("No open request has this id.", 404, 4),
  not_resumable: row("The session cannot be continued; the message says why.", 409, 4),
  session_stopped: row("The session has ended; resume it to go on.", 409, 1),
  session_owned: row("Another process runs this session.", 409, 1, true),
  start_failed: row("The runtime could not be started.", 502, 1),
  delivery_failed: row("The runtime did not take the message.", 502, 1, true),
  agent_failed: row("The runtime reported a failure; the message is its own.", 502, 1),
  agent_exited: row("The runtime ended before the turn did.", 502, 1, true),
  lost: row(
    "Whoever ran the session died in mid-turn; what it said until then is kept.",
    502,
    1,
    true,
  ),
  line_too_long: row("The runtime wrote a line over the limit; the line was left out.", 502, 1),
  timed_out: row(
    "A phase took longer than its limit; the message names the phase.",
    504,
    124,
    true,
  ),
  cancelled: row("Somebody cancelled it.", 409, 130),
  store_failed: row("The session store cannot be used; the message says why.", 500, 1),
  store_full: row("The disk that holds the session store is full.", 507, 1, true),
  store_locked: row("Another process keeps the session store locked.", 503, 1, true),
  store_corrupt: row("The session store is damaged; what can be read stays readable.", 500, 1),
  internal: row("A fault in Halyard itself.", 500, 1),
} as const satisfies Record<string, ErrorMeaning>;

/** The phases of a turn that have a time limit. */
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
