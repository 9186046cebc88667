/**
 * True if the long forms of tests run, too, as in `npm run test:soak -- long`. `npm test` must end in six minutes on two cores, so it leaves
 * out more rounds and callers, larger inputs, other widths and themes of pages, tests that check a rule again with another SDK or in another
 * runtime, tests of tools for maintainers (a release, a bench that is stopped), and tests that show that a test can fail.
 */
export const LONG_TESTS = process.env.KEYHUB_LONG_TESTS === "1";
