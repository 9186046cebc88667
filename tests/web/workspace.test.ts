// Pages of members. They are not in pages.test.ts, because two test files run at the same time.
import "./suite/journeys.ts";
import "./suite/move-in.ts";
import "./suite/foreign-files.ts";
import "./suite/keys.ts";
import "./suite/versions.ts";
import "./suite/organizations.ts";
import "./suite/editor.ts";
import "./suite/unsaved-changes.ts";
import "./suite/profile.ts";
