import type { Severity } from "../finding.ts";

/** A name that ordinary components hardly ever contain, and what its value can do. */
export interface RareName {
  rule: string;
  severity: Severity;
  /** Which uses count: `g`lobal name, `m`ember (of `d`ocument, `w`indow, `n`avigator, `r`eflection, s`y`mbols), destructured `k`ey (`K`: of a document, `W`: of the window), `o`bject key or attribute, `f`unction of an object, `s`tring, a `v`alue that is not called directly; `c` only as a computed key. */
  at: string;
  can: string;
}

/** One row per name: the name, which uses count, and what it can do. */
const ROWS: Record<string, { rule: string; severity: Severity; rows: string }> = {
  code: {
    rule: "eval",
    severity: "medium",
    rows: `
      eval s runs text
      execScript gmks runs text
      Function s makes functions of text
      AsyncFunction gks makes functions of text
      GeneratorFunction gks makes functions of text
      ShadowRealm gmks runs text in a realm of its own
      constructor mks of a function makes functions of text
      __proto__ mks leads to what an object is made from
      __defineGetter__ mks puts code behind a property
      __defineSetter__ mks puts code behind a property
      __lookupGetter__ mks takes a getter off its object
      __lookupSetter__ mks takes a setter off its object
      getOwnPropertyNames mks lists what a host object has
      getOwnPropertyDescriptors mks lists what a host object has
      ownKeys mks lists what a host object has
      construct r makes objects of a class that is not named
      callee m leads to the function that runs
      prepareStackTrace mks runs when a stack is read
      importScripts gmks runs other scripts
      SharedWorker gmks runs another script
      serviceWorker mks answers the requests of the page
      paintWorklet mks runs another script
      layoutWorklet mks runs another script
      audioWorklet mks runs another script
      compileFunction mks makes functions of text
      runInThisContext mks runs text
      runInNewContext mks runs text
      ActiveXObject gks runs programs of the machine
      unscopables m changes what names mean
      hasInstance m runs when classes are compared
      captureEvents m receives all events
    `,
  },
  behind: {
    rule: "eval",
    severity: "low",
    rows: `
      Reflect g reads, writes and calls what is not named
      Proxy g runs when something is read
      setPrototypeOf mks changes what an object is made from
      getPrototypeOf s leads to what an object is made from
      FinalizationRegistry gks runs when memory is freed
      ErrorEvent gks calls the handler of errors
      reportError gmks calls the handler of errors
      onunhandledrejection mkos receives all errors
      iterator y runs when something is looped over
      species y runs when a list is copied
      toStringTag y runs when something becomes a text
      isConcatSpreadable y runs when lists are joined
      search y runs when a text is searched
      split y runs when a text is split
      match y runs when a text is matched
      matchAll y runs when a text is matched
      toString f runs when something becomes a text
      valueOf f runs when something becomes a number
      handleEvent fo receives events
      Atomics gs reads and writes memory
      SharedArrayBuffer gs shares memory
    `,
  },
  page: {
    rule: "script-injection",
    severity: "low",
    rows: `
      script s names an element that runs
      DOMParser ks makes a page of a text
      parseFromString ks makes a page of a text
      createHTMLDocument mks makes a page
      unsafeHTML gmk writes raw markup
      unsafeSVG gmk writes raw markup
      unsafeCSS gmk writes raw styles
      bypassSecurityTrustHtml mks lets markup pass
      bypassSecurityTrustScript mks lets scripts pass
      bypassSecurityTrustUrl mks lets links pass
      bypassSecurityTrustResourceUrl mks lets links pass
      htmlSafe gmk lets markup pass
      globalEval mks runs text
      runScript gmks runs text
      doString mks runs text
      runPython mks runs text
      runPythonAsync mks runs text
      loadRemote gmks loads a program
      registerRemotes gmks loads a program
      loadMicroApp gmks loads a program
      loadScript gmk loads a program
      useScript gmk loads a program
      injectScript gmks loads a program
      appendScript gmks loads a program
      getScript mks loads a program
      domProps o writes raw markup
    `,
  },
  taken: {
    rule: "external-request",
    severity: "low",
    rows: `
      fetch Wv requests
      assign W leaves the page
      write W writes raw markup
      Request v requests
      Image v loads
      Audio v loads
      Worker Wkv runs another script
      Option v makes elements
      navigator v sends and shares data
      addIceCandidate mks connects to another machine
      setRemoteDescription mks connects to another machine
      RTCIceCandidate gks connects to another machine
      mediaSession mks loads pictures
      MediaMetadata gks loads pictures
      bluetooth n reaches devices
      usb n reaches devices
      serial n reaches devices
      hid n reaches devices
      contacts n reads who the reader knows
      geolocation ks asks where the reader is
      readText mks reads what was copied
      deviceorientation s hears how the device is held
      devicemotion s hears how the device is moved
      GM_xmlhttpRequest gk requests
      chrome v reaches extensions
      ReportingObserver gks sends reports
      formAction ks sends a form
      formaction kos sends a form
      insertRule ks sets styles that load
      addRule ks sets styles that load
      CSSStyleSheet s sets styles that load
      replaceSync ks sets styles that load
      styleSheets mks sets styles that load
      cssText ks sets styles that load
      no-cors s asks another host
      unsafe-url s sends the address of the page
      preinit gks loads a script
      preinitModule gks loads a script
      prefetchDNS gks asks for another host
      fetchLater gmks requests
    `,
  },
  markup: {
    rule: "script-injection",
    severity: "medium",
    rows: `
      setHTMLUnsafe gmkos writes raw markup
      parseHTMLUnsafe gmkos parses raw markup
      setHTML gmks writes markup
      createContextualFragment gmks parses raw markup
      insertAdjacentHTML ks writes raw markup
      innerHTML s writes raw markup
      outerHTML s writes raw markup
      dangerouslySetInnerHTML s writes raw markup
      __html s writes raw markup
      srcdoc ks writes a page into a frame
      srcDoc kos writes a page into a frame
      writeln ks writes raw markup
      designMode mks makes the page editable
      execCommand mks puts in markup
      trustedTypes ks decides what markup passes
      XSLTProcessor gks makes markup of other markup
      createProcessingInstruction mks puts in another style or program
      createAttribute ks sets attributes in a roundabout way
      setAttributeNode mks sets attributes in a roundabout way
      setAttributeNodeNS mks sets attributes in a roundabout way
      setNamedItem mks sets attributes in a roundabout way
      setNamedItemNS mks sets attributes in a roundabout way
      $$typeof mkos makes objects pass for elements
      speculationrules gs loads pages ahead
      importmap s changes where imports lead
      scripts d finds the scripts of the page
      currentScript d finds the scripts of the page
      importNode mks puts in a copy of other markup
      adoptNode mks puts in other markup
    `,
  },
  leave: {
    rule: "redirect",
    severity: "low",
    rows: `
      navigation g leaves the page
      opener gws reaches the window that opened this one
      frameElement gmks reaches the page around this one
      _top s leaves the page around this one
      _parent s leaves the page around this one
      frames gw reaches other frames
      defaultView Ks reaches the window
      contentWindow ks reaches a window
      contentDocument ks reaches the page of a frame
      open dWv writes or opens a page
      registerProtocolHandler mks takes over links
      requestStorageAccess mks reads cookies in a frame
      documentPictureInPicture gmks opens a window
      launchQueue gmks receives files
    `,
  },
  reach: {
    rule: "external-request",
    severity: "low",
    rows: `
      attributeStyleMap mks sets styles that load
      CSSStyleValue gs sets styles that load
      CSSImageValue gs sets styles that load
      StylePropertyMap gs sets styles that load
      adoptedStyleSheets ks sets styles that load
      FontFace ks loads a font
      MessageChannel gks passes ports to other windows
      BroadcastChannel gks sends messages to other pages
      cookieStore gmks reads cookies
      credentials n reads keys
      PasswordCredential gks reads passwords
      FederatedCredential gks reads accounts
      getBattery ks identifies the device
      WebTransport gks connects
      WebSocketStream gmks connects
      RTCPeerConnection gks connects
      webkitRTCPeerConnection gmks connects
      WebSocket ksv connects
      EventSource ksv connects
      XMLHttpRequest ksv requests
      sendBeacon ks sends
      cookie s reads cookies
      indexedDB gks reads storage
      localStorage c reads storage
      sessionStorage c reads storage
      postMessage ks sends messages to other windows
      Notification g loads a picture and calls the reader
      requestPermission ks asks for rights
      PushManager gks receives messages
      backgroundFetch mks loads
      PaymentRequest gks asks another host
      PresentationRequest gks opens another host
      RemotePlayback gs plays elsewhere
      showOpenFilePicker gmks reads files
      showSaveFilePicker gmks writes files
      showDirectoryPicker gmks reads files
      getDisplayMedia mks records the screen
      getUserMedia ks records camera and microphone
      requestMIDIAccess mks reaches devices
      webkitRequestFileSystem gmks reads files
      openDatabase gmks reads storage
      evaluate d reads texts of the page by a path
      createExpression d reads texts of the page by a path
      XPathEvaluator gks reads texts of the page by a path
      XPathResult gs reads texts of the page by a path
      createNodeIterator ks reads texts of the page
      SHOW_COMMENT mks reads comments of the page
      dns-prefetch s asks for another host
      subresources s loads
    `,
  },
  text: {
    rule: "hidden-text",
    severity: "low",
    rows: `
      DecompressionStream gks unpacks texts
      fromCharCode ks makes texts of numbers
      fromCodePoint ks makes texts of numbers
      charCodeAt s makes numbers of texts
      atob ks decodes texts
      unescape ks decodes texts
      toPrimitive m runs when something becomes a text
    `,
  },
};

export const RARE_NAMES: ReadonlyMap<string, RareName> = new Map(
  Object.values(ROWS).flatMap(({ rule, severity, rows }) =>
    rows
      .trim()
      .split("\n")
      .map((row): [string, RareName] => {
        const [name = "", at = "", ...can] = row.trim().split(" ");
        return [name, { rule, severity, at, can: can.join(" ") }];
      }),
  ),
);

/** More names. The only purpose of building one of them from pieces is to hide it. */
const HIDDEN_NAMES =
  "location document window globalThis navigator fetch Image Worker Request Reflect prototype contentWindow defaultView assign replace " +
  "setTimeout setInterval setAttribute createElement appendChild addEventListener script iframe object embed javascript: http:// https:// " +
  "httpEquiv http-equiv Symbol importScripts getOwnPropertyDescriptor dispatchEvent requestSubmit open write top parent src href action onload onerror onclick ";

/** Every name that is searched for among strings that the file builds. */
export const SPLIT_NAMES: ReadonlySet<string> = new Set([
  ...RARE_NAMES.keys(),
  ...HIDDEN_NAMES.trim().split(" "),
]);

/** Attributes whose value some library runs: Alpine, htmx, Vue, Angular, Knockout, Livewire, Unpoly. */
const DIRECTIVE =
  /^(?:(?:data-)?(?:x-(?:data|init|on|html|bind|effect|model|if|for|modelable|teleport)|hx-(?:on|get|post|put|delete|patch|vals|vars|headers|ext|request|trigger|boost|ws|sse)|ng-(?:init|click|bind|bind-html|app|controller|include|src|href|focus|blur|change|submit|repeat|if|show)|wire:(?:init|click|submit)|up-(?:target|follow|on))\b.*|v-(?:html|on|bind)\b.*|data-bind|xlink:actuate|_hyperscript)$/;
/** The index of its first hyphen and its length are below these limits. */
const DIRECTIVE_START = 5;
const DIRECTIVE_LENGTH = 40;
const DIRECTIVE_RULE: RareName = { rule: "eval", severity: "low", at: "kos", can: "is run by a library" };

/** The row of a rare name; undefined for any other name. */
export function rareName(name: string): RareName | undefined {
  const known = RARE_NAMES.get(name);
  if (known !== undefined) return known;
  const at = name.indexOf("-");
  const marked = at > 0 ? at < DIRECTIVE_START : name.startsWith("wire:") || name === "_hyperscript";
  return marked && name.length < DIRECTIVE_LENGTH && DIRECTIVE.test(name) ? DIRECTIVE_RULE : undefined;
}
