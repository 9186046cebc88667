/**
 * True if the long forms of tests run, too, as in `npm run test:soak -- long`. `npm test` must end in eight minutes, so it leaves out tests
 * that check a rule again with other SDKs or in another runtime, and tests that show that a test can fail.
 */
export const LONG_TESTS = process.env.KEYHUB_LONG_TESTS === "1";
