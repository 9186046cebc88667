/** A well-formed agent token that no database knows. */
export const AGENT = { authorization: `Bearer kh_agent_${"0".repeat(64)}` };

/** A well-formed id. */
export const ID = "00000000-0000-4000-8000-000000000000";
