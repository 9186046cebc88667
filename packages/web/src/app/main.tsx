// First, so that its listener is in front of that of the router.
import "./use-unsaved.ts";
import { type JSX, render } from "preact";
import { useEffect, useState } from "preact/hooks";
import { ErrorBoundary, LocationProvider, lazy, Route, Router } from "preact-iso";
import { ProjectUrl } from "../parts/picture.tsx";
import { FailureNote } from "./failure-note.tsx";
import { type ShownFailure, shownFailureOf } from "./failure-text.ts";
import { setting } from "./session.ts";

const Login = page(() => import("./login.tsx"));
const NewPassword = page(() => import("./new-password.tsx"));
const Workspace = page(() => import("./workspace.tsx"));
const Editor = page(() => import("./editor/editor.tsx"));
const Listings = page(() => import("./listings.tsx"));
const Keys = page(() => import("./keys/keys.tsx"));
const Stars = page(() => import("./stars.tsx"));
const Following = page(() => import("./following.tsx"));
const Kit = page(() => import("./kit.tsx"));
const Profile = page(() => import("./profile.tsx"));
const Admin = page(() => import("./admin.tsx"));

/** A page that is loaded when it is first shown; when it cannot be, what went wrong. */
function page(load: () => Promise<{ default: () => JSX.Element }>) {
  return lazy(() => load().catch((error: unknown) => ({ default: () => <Broken error={error} /> })));
}

/** The pages behind the hub: what they show depends on who looks, so the browser draws them. */
function App() {
  const [failure, setFailure] = useState<{ error: unknown } | null>(null);
  if (failure) return <Broken error={failure.error} />;
  return (
    <LocationProvider scope={/^\/(login|workspace|admin)(\/|\?|$)/}>
      <ErrorBoundary onError={(error) => setFailure({ error })}>
        <ProjectUrl.Provider value={setting("api")}>
          <Router>
            <Route path="/login" component={Login} />
            <Route path="/login/new-password" component={NewPassword} />
            <Route path="/workspace" component={Workspace} />
            <Route path="/workspace/listings" component={Listings} />
            <Route path="/workspace/keys" component={Keys} />
            <Route path="/workspace/stars" component={Stars} />
            <Route path="/workspace/following" component={Following} />
            <Route path="/workspace/kit" component={Kit} />
            <Route path="/workspace/profile" component={Profile} />
            <Route path="/workspace/:type/:id" component={Editor} />
            <Route path="/admin" component={Admin} />
            <Route default component={Missing} />
          </Router>
        </ProjectUrl.Provider>
      </ErrorBoundary>
    </LocationProvider>
  );
}

/** Stands for a page that could not be shown at all. */
function Broken({ error }: { error: unknown }) {
  const [failure, setFailure] = useState<ShownFailure | null>(null);
  useEffect(() => void shownFailureOf(error).then(setFailure), [error]);
  return (
    <>
      <h1>This page could not be shown</h1>
      <FailureNote failure={failure} onRetry={reload} />
    </>
  );
}

const reload = () => location.reload();

function Missing() {
  return (
    <div class="empty">
      <h1>There is nothing here</h1>
    </div>
  );
}

const place = document.querySelector("#app");
if (place) {
  place.replaceChildren();
  render(<App />, place);
}
