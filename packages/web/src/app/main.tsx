// This import must be the first, so that its listener runs before the router's.
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
const Listings = page(() => import("./listings/listings.tsx"));
const Keys = page(() => import("./keys/keys.tsx"));
const Stars = page(() => import("./stars.tsx"));
const Following = page(() => import("./following.tsx"));
const Organizations = page(() => import("./organizations/organizations.tsx"));
const Join = page(() => import("./organizations/join.tsx"));
const Shelf = page(() => import("./organizations/shelf.tsx"));
const Members = page(() => import("./organizations/members.tsx"));
const Reported = page(() => import("./organizations/reported.tsx"));
const SharedListing = page(() => import("./organizations/shared-listing.tsx"));
const Purchases = page(() => import("./purchases.tsx"));
const Revenue = page(() => import("./revenue/revenue.tsx"));
const Kit = page(() => import("./kit.tsx"));
const Profile = page(() => import("./profile.tsx"));
const Admin = page(() => import("./admin/admin.tsx"));

/** Returns a page that is loaded when it is first shown. When it cannot be loaded, the page shows the failure. */
function page<Props>(load: () => Promise<{ default: (props: Props) => JSX.Element }>) {
  return lazy(() => load().catch((error: unknown) => ({ default: () => <Broken error={error} /> })));
}

/** Shows the pages that depend on the viewer. The browser renders them, because the server sends the same pages to everybody. */
function App() {
  const [failure, setFailure] = useState<{ error: unknown } | null>(null);
  if (failure) return <Broken error={failure.error} />;
  return (
    <LocationProvider scope={/^\/(login|workspace|orgs|admin)(\/|\?|$)/}>
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
            <Route path="/workspace/organizations" component={Organizations} />
            <Route path="/workspace/join" component={Join} />
            <Route path="/workspace/purchases" component={Purchases} />
            <Route path="/workspace/revenue" component={Revenue} />
            <Route path="/workspace/kit" component={Kit} />
            <Route path="/workspace/profile" component={Profile} />
            <Route path="/workspace/:type/:id" component={Editor} />
            <Route path="/orgs" component={Organizations} />
            <Route path="/orgs/:slug" component={Shelf} />
            <Route path="/orgs/:slug/members" component={Members} />
            <Route path="/orgs/:slug/reported" component={Reported} />
            <Route path="/orgs/:slug/:asset" component={SharedListing} />
            <Route path="/admin" component={Admin} />
            <Route default component={Missing} />
          </Router>
        </ProjectUrl.Provider>
      </ErrorBoundary>
    </LocationProvider>
  );
}

/** Replaces a page that could not be shown at all. */
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
