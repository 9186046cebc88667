import type { Reader } from "../types.ts";
import { words } from "../words.ts";

/** Bedrock and other AWS services: the exception's name is in `__type`. */
export const AWS: Reader = {
  providers: words("aws | bedrock | aws-bedrock | amazon | amazon-bedrock"),
  rules: [
    {
      code: words(`
        throttlingexception | throttling | toomanyrequestsexception | servicequotaexceededexception |
        requestlimitexceeded
      `),
      outcome: "rate_limited",
      source: "docs.aws.amazon.com/bedrock: common errors",
    },
    {
      phrase: words(`
        throttlingexception | too many tokens, please wait | too many requests, please wait |
        too many tokens per day
      `),
      outcome: "rate_limited",
      source: "docs.aws.amazon.com/bedrock",
    },
    {
      code: words("unrecognizedclientexception | invalidclienttokenid | invalidaccesskeyid"),
      outcome: "invalid_key",
      dead: true,
      source: "docs.aws.amazon.com, common errors: the access key does not exist",
    },
    {
      phrase: words(`
        the security token included in the request is invalid | please make sure your api key is valid |
        access key id you provided does not exist
      `),
      outcome: "invalid_key",
      dead: true,
      source: "docs.aws.amazon.com, UnrecognizedClientException; the answer to a wrong Bedrock API key",
    },
    {
      code: ["expiredtokenexception", "expiredtoken"],
      outcome: "invalid_key",
      dead: true,
      source: "docs.aws.amazon.com: session credentials whose time is over",
    },
    {
      phrase: ["security token … is expired"],
      outcome: "invalid_key",
      dead: true,
      source: "docs.aws.amazon.com, ExpiredTokenException",
    },
    {
      code: words(`
        signaturedoesnotmatch | invalidsignatureexception |
        incompletesignature | missingauthenticationtoken
      `),
      outcome: "refused",
      source: "docs.aws.amazon.com: signing, clock or session, not the key",
    },
    {
      phrase: words(`
        signature expired |
        the request signature we calculated does not match
      `),
      outcome: "refused",
      source: "docs.aws.amazon.com",
    },
    {
      phrase: ["not allowed from unsupported countries, regions, or territories"],
      outcome: "refused",
      source: "aws bedrock issues: a ValidationException",
    },
    {
      code: words("accessdeniedexception | accessdenied | optinrequired | notauthorized"),
      outcome: "refused",
      source: "docs.aws.amazon.com, AccessDeniedException",
    },
    {
      phrase: words(`
        is not authorized to perform | don't have access to the model with the specified model id
      `),
      outcome: "refused",
      source: "docs.aws.amazon.com/bedrock",
    },
    {
      code: words(`
        modelnotreadyexception | serviceunavailableexception | internalserverexception |
        modelerrorexception
      `),
      outcome: "server_error",
      source: "docs.aws.amazon.com/bedrock",
    },
    {
      code: ["modeltimeoutexception"],
      outcome: "unreachable",
      source: "docs.aws.amazon.com/bedrock: 408",
    },
    {
      code: words("validationexception | resourcenotfoundexception"),
      outcome: "caller_fault",
      source: "docs.aws.amazon.com/bedrock",
    },
  ],
};
