/** Functions that make an element of a name: the browser's, React's and those its compilers call. */
const MAKERS = /^_?(?:createElement(?:NS|VNode)?|createVNode|jsxs?|jsxDEV|h)\d?$/;

export function isElementMaker(name: string): boolean {
  return MAKERS.test(name);
}
