import type * as t from "@babel/types";
import { elementOf } from "../../interpreter/core/definition.ts";
import { taintOf } from "../../interpreter/text/text.ts";
import { isText, options, PRIVATE, UNKNOWN, type Value } from "../../interpreter/value.ts";
import type { Rule, RuleContext } from "../rule.ts";

const CALLS = new Set(["RTCPeerConnection", "webkitRTCPeerConnection", "setConfiguration"]);

/** A peer connection asks its configured servers for its own address. */
export const peers: Rule = {
  id: "external-request",
  severity: "high",
  calls: (path) => CALLS.has(path),
  onCall(context, { args, node }) {
    checkPeer(context, args, node);
  },
  methods: (name) => name === "setConfiguration",
  onMethod(context, { args, node }) {
    checkPeer(context, args(), node);
  },
};

function checkPeer(context: RuleContext, args: readonly Value[], node: t.Node): void {
  const servers = context.interpreter.member(args[0] ?? UNKNOWN, "iceServers");
  for (const server of options(elementOf(servers))) {
    for (const key of ["urls", "url"]) {
      const named = context.interpreter.member(server, key);
      const address = named.kind === "list" ? elementOf(named) : named;
      if (options(address).some((one) => isText(one)))
        context.report("external-request", taintOf(address) & PRIVATE ? "high" : "medium", node);
    }
  }
}
