import { useState } from "preact/hooks";
import { useApp } from "./context.ts";
import { Mark } from "./mark.tsx";

/**
 * Explains how to sign in, and accepts the code that `halyard open` prints. A page for a shared link shows only that
 * the link is not valid.
 */
export function SignIn() {
  const { api, isReadOnly } = useApp();
  const [code, setCode] = useState("");
  const [error, setError] = useState("");
  const submit = async (event: Event) => {
    event.preventDefault();
    try {
      await api.signIn(code.trim());
      location.reload();
    } catch (cause) {
      setError(cause instanceof Error ? cause.message : String(cause));
    }
  };
  if (isReadOnly)
    return (
      <main class="sign-in">
        <Mark size={40} />
        <h1>This link is not valid</h1>
        <p>It has expired or was revoked. Ask the sender for a new link.</p>
      </main>
    );
  return (
    <main class="sign-in">
      <Mark size={40} />
      <h1>Sign in to Halyard</h1>
      <p>
        Run <code>halyard open</code> on the server's machine. The command opens this page and signs
        you in. For another device, enter the code that it prints.
      </p>
      <form onSubmit={(event) => void submit(event)}>
        <input
          aria-label="Code"
          placeholder="Code"
          autocomplete="one-time-code"
          value={code}
          onInput={({ currentTarget }) => setCode(currentTarget.value)}
        />
        <button type="submit" class="primary" disabled={code.trim() === ""}>
          Sign in
        </button>
      </form>
      {error !== "" && (
        <p class="problem" role="alert">
          {error}
        </p>
      )}
    </main>
  );
}
