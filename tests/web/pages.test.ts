<<<<<<< HEAD:tests/web/pages.test.ts
// What everybody sees. One stack and one browser for all of these: starting them takes longer than most of the tests.
=======
// All of these share one stack and one browser: starting them takes longer than most of the tests.
>>>>>>> 88cceebb (docs(tests/web): comments that are understood at the first reading):tests/web/web.test.ts
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
