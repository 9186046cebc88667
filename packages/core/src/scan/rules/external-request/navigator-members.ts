import type { Rule } from "../rule.ts";

/** Members of `navigator` that ordinary components read. */
const ORDINARY =
  /^(?:userAgent|userAgentData|appVersion|appName|product|vendor|platform|languages?|onLine|maxTouchPoints|msMaxTouchPoints|hardwareConcurrency|deviceMemory|connection|clipboard|share|canShare|vibrate|mediaDevices|wakeLock|webdriver|cookieEnabled|doNotTrack|gpu|virtualKeyboard|standalone|brave|pdfViewerEnabled|permissions|userActivation|serviceWorker|credentials|storage|sendBeacon|getGamepads)$/;
const MEMBER =
  /(?<![\w$.])(?:(?:window|globalThis|self)\s*\??\.\s*)?\(?navigator(?:\s+as\s+[\w. &{}:?]+\))?\s*\??\.\s*(\w+)/g;

/** Members that no browser's `navigator` has, but a list of pages or a router of this name. */
const MEMBERS_OF_OTHERS =
  /^(?:length|map|filter|forEach|find|at|slice|push|pop|navigate|goBack|dispatch|reset|getParent|getState)$/;

/** A `navigator` that the file creates itself, and reads from its own class. */
const OWN_MADE = /\bnavigator\s*=\s*new\s+(?!Proxy\b)[A-Z]\w*\(/;
const OWN_DESTRUCTURED = /\bnavigator\b[^{}=;]{0,200}\}\s{0,9}=\s{0,9}this\b/;
const EXISTENCE_TEST = /\btypeof\s+$|!\s*$/;
const CONTEXT_LENGTH = 20;

/** Members of `navigator` that hardly any component uses: devices, accounts, requests to other hosts. */
export const navigatorMembers: Rule = {
  id: "external-request",
  severity: "low",
  onFile({ interpreter, source, reportText }) {
    const { names, root } = interpreter.program;
    if (!names.has("navigator") || root.names?.has("navigator") === true) return;
    if (OWN_MADE.test(source) && OWN_DESTRUCTURED.test(source)) return;
    for (const { index, 0: found, 1: name = "" } of source.matchAll(MEMBER))
      if (
        !ORDINARY.test(name) &&
        !MEMBERS_OF_OTHERS.test(name) &&
        !EXISTENCE_TEST.test(source.slice(Math.max(0, index - CONTEXT_LENGTH), index))
      )
        reportText("external-request", "low", index, index + found.length);
  },
};
