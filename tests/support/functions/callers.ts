/** An agent token in form; no database knows it. */
export const AGENT = { authorization: `Bearer kh_agent_${"0".repeat(64)}` };

/** An id in form. */
export const ID = "00000000-0000-4000-8000-000000000000";
