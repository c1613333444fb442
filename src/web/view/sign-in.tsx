import { useState } from "preact/hooks";
import { useApp } from "./context.ts";
import { Mark } from "./mark.tsx";

/** Explains how to sign in, and accepts the code that the command prints. */
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
        <p>It has expired or was revoked. Ask for a new one.</p>
      </main>
    );
  return (
    <main class="sign-in">
      <Mark size={40} />
      <h1>Sign in to Halyard</h1>
      <p>
        Run <code>halyard open</code> on the server's machine. It opens this page signed in, or
        prints a code for another device.
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
