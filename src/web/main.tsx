import { render } from "preact";
import { PageApp } from "./state/app.ts";
import { openKeys } from "./state/keys.ts";
import { readRecording } from "./state/recording.ts";
import { watchSignInLinks } from "./state/sign-in.ts";
import { openTheme } from "./state/theme.ts";
import { AppContext } from "./view/context.ts";
import { Page } from "./view/page.tsx";

const app = new PageApp(window, Date.now, readRecording(document));
const theme = openTheme(window);
openKeys(app, document);
watchSignInLinks(window);
const place = document.getElementById("page");
if (place)
  render(
    <AppContext.Provider value={app}>
      <Page theme={theme} />
    </AppContext.Provider>,
    place,
  );
// Browsers allow service workers only over HTTPS and on loopback addresses.
if (!app.isRecording && "serviceWorker" in navigator)
  // ignored, because the page works without the service worker
  void navigator.serviceWorker.register("service-worker.js").catch(() => {});
void app.run().catch((error) => app.fail(error));
