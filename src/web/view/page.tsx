import { useEffect } from "preact/hooks";
import { useSource } from "../state/source.ts";
import type { Theme } from "../state/theme.ts";
import { useApp } from "./context.ts";
import { Help } from "./help.tsx";
import { Inbox } from "./inbox.tsx";
import { lazy } from "./lazy.tsx";
import { NewSession } from "./new-session.tsx";
import { Notifier } from "./notify.tsx";
import { SessionView } from "./session.tsx";
import { Sidebar } from "./sidebar.tsx";
import { SignIn } from "./sign-in.tsx";
import { ToastView } from "./toast.tsx";
import { Welcome } from "./welcome.tsx";

const Usage = lazy(() => import("./usage.tsx").then(({ UsageView }) => UsageView));

/** The page: the list of sessions, and beside it what the address names. */
export function Page({ theme }: { theme: Theme }) {
  const app = useApp();
  const route = useSource(app.route);
  const status = useSource(app.status);
  const dialog = useSource(app.dialog);
  useTitle();
  if (status === "signed-out") return <SignIn />;
  return (
    <div class={`page shows-${route.view}${app.isRecording ? " recording" : ""}`}>
      {!app.isRecording && <Sidebar theme={theme} />}
      <main class="main">
        {route.view === "board" && <Welcome />}
        {route.view === "inbox" && <Inbox />}
        {route.view === "usage" && <Usage />}
        {route.view === "session" && <SessionView key={route.id} id={route.id} seq={route.seq} />}
      </main>
      {dialog === "new" && <NewSession />}
      {dialog === "help" && <Help />}
      <ToastView />
      <Notifier />
    </div>
  );
}

/** Shows the number of open requests in the title of the tab. */
function useTitle(): void {
  const app = useApp();
  const entries = useSource(app.board.entries);
  let open = 0;
  for (const { info } of entries.values()) open += info.openRequests.length;
  useEffect(() => {
    document.title = open > 0 ? `(${open}) Halyard` : "Halyard";
  }, [open]);
}
