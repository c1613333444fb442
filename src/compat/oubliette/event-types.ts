/** The `type` of a stream event about the session: step boundaries, status changes, requests and responses. */
export const EventTypeSystem = "system";
/** The `type` of a complete message from the assistant or the user. */
export const EventTypeMessage = "message";
/** The `type` of an increment of an assistant message. */
export const EventTypeDelta = "delta";
/** The `type` of a tool invocation with its parameters. */
export const EventTypeToolCall = "tool_call";
/** The `type` of a tool's result or error. */
export const EventTypeToolResult = "tool_result";
/** The `type` of the end of a turn, with the final text. */
export const EventTypeCompletion = "completion";
/** The `type` of an error. */
export const EventTypeError = "error";
