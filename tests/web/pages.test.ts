// Pages that everybody sees. All suites share one stack and one browser, because starting them takes longer than most of the tests.
import "./suite/entries.ts";
import "./suite/guest.ts";
import "./suite/server.ts";
import "./suite/password.ts";
import "./suite/copies.ts";
import "./suite/cards.ts";
import "./suite/creators.ts";
import "./suite/selling.ts";
import "./suite/pictures.ts";
import "./suite/featured.ts";
import "./suite/appeals.ts";
import "./suite/failures.ts";
import "./suite/hostile.ts";
import "./suite/sizes.ts";
import "./suite/layout.ts";
import "./suite/preview-attacks.ts";
