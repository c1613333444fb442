import { useEffect } from "preact/hooks";
import { useSource } from "../state/source.ts";
import type { Theme } from "../state/theme.ts";
import { Announcer } from "./announcer.tsx";
import { useApp } from "./context.ts";
import { Help } from "./help.tsx";
import { Inbox } from "./inbox.tsx";
import { lazy } from "./lazy.tsx";
import { NewSessionDialog } from "./new-session.tsx";
import { Notifier } from "./notify.tsx";
import { SessionView } from "./session/session.tsx";
import { Sidebar } from "./sidebar/sidebar.tsx";
import { SignIn } from "./sign-in.tsx";
import { ToastView } from "./toast.tsx";
import { Welcome } from "./welcome.tsx";

const Usage = lazy(() => import("./usage/usage.tsx").then(({ UsageView }) => UsageView));
const Settings = lazy(() => import("./settings.tsx").then(({ SettingsView }) => SettingsView));

/** Shows the view that the address selects. Unless the page is read-only, shows the list of sessions beside the view. */
export function Page({ theme }: { theme: Theme }) {
  const app = useApp();
  const route = useSource(app.route);
  const status = useSource(app.status);
  const dialog = useSource(app.dialog);
  if (status === "signed-out") return <SignIn />;
  return (
    <div class={`page shows-${route.view}${app.isReadOnly ? " recording" : ""}`}>
      {!app.isReadOnly && <Sidebar theme={theme} />}
      <main class="main">
        {route.view === "board" && <Welcome />}
        {route.view === "inbox" && <Inbox />}
        {route.view === "usage" && <Usage />}
        {route.view === "settings" && <Settings />}
        {route.view === "session" && <SessionView key={route.id} id={route.id} seq={route.seq} />}
      </main>
      {dialog === "new" && <NewSessionDialog />}
      {dialog === "help" && <Help />}
      <ToastView />
      <TabTitle />
      <Notifier />
      <Announcer />
    </div>
  );
}

/**
 * Shows the number of open requests in the tab title. A separate component, so that the page does not render for each
 * event.
 */
function TabTitle() {
  const app = useApp();
  const entries = useSource(app.board.entries);
  let open = 0;
  for (const { info } of entries.values()) open += info.openRequests.length;
  useEffect(() => {
    document.title = open > 0 ? `(${open}) Halyard` : "Halyard";
  }, [open]);
  return null;
}
