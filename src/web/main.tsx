import { render } from "preact";
import { PageApp } from "./state/app.ts";
import { openKeys } from "./state/keys.ts";
import { readRecording } from "./state/recording.ts";
import { openTheme } from "./state/theme.ts";
import { AppContext } from "./view/context.ts";
import { Page } from "./view/page.tsx";

const app = new PageApp(window, Date.now, readRecording(document));
const theme = openTheme(window);
openKeys(app, document);
const place = document.getElementById("page");
if (place)
  render(
    <AppContext.Provider value={app}>
      <Page theme={theme} />
    </AppContext.Provider>,
    place,
  );
void app.run().catch((error) => app.fail(error));
