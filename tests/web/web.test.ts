// One stack and one browser for all of these: starting them takes longer than most of the tests.
import "./suite/entries.ts";
import "./suite/guest.ts";
import "./suite/server.ts";
import "./suite/journeys.ts";
import "./suite/password.ts";
import "./suite/move-in.ts";
import "./suite/copies.ts";
import "./suite/editor.ts";
import "./suite/unsaved-changes.ts";
import "./suite/profile.ts";
import "./suite/featured.ts";
import "./suite/appeals.ts";
import "./suite/failures.ts";
import "./suite/hostile.ts";
import "./suite/sizes.ts";
import "./suite/layout.ts";
import "./suite/preview-attacks.ts";
