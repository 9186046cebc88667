import { render } from "preact";
import { ErrorBoundary, LocationProvider, lazy, Route, Router } from "preact-iso";

const Login = lazy(() => import("./login.tsx"));
const Workspace = lazy(() => import("./workspace.tsx"));
const Editor = lazy(() => import("./editor.tsx"));
const Listings = lazy(() => import("./listings.tsx"));
const Stars = lazy(() => import("./stars.tsx"));
const Admin = lazy(() => import("./admin.tsx"));

/** The pages behind the hub: what they show depends on who looks, so the browser draws them. */
function App() {
  return (
    <LocationProvider scope={/^\/(login|workspace|admin)(\/|\?|$)/}>
      <ErrorBoundary>
        <Router>
          <Route path="/login" component={Login} />
          <Route path="/workspace" component={Workspace} />
          <Route path="/workspace/listings" component={Listings} />
          <Route path="/workspace/stars" component={Stars} />
          <Route path="/workspace/:type/:id" component={Editor} />
          <Route path="/admin" component={Admin} />
          <Route default component={Missing} />
        </Router>
      </ErrorBoundary>
    </LocationProvider>
  );
}

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
