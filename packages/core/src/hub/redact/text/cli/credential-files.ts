import { type CommandPattern, command } from "./command-patterns.ts";

/** Lines of files that hold only credentials: `.netrc` … */
export const MACHINE: readonly CommandPattern[] = [
  command(
    "machine ",
    /(\bmachine\s{1,4}\S{1,120}\s{1,12}(?:account\s{1,12}\S{1,120}\s{1,12})?login\s{1,12}\S{1,120}\s{1,12}(?:account\s{1,12}\S{1,120}\s{1,12})?password\s{1,12})(\S{3,200})/g,
  ),
];
export const NETRC: readonly CommandPattern[] = [
  ...MACHINE,
  command("default", /((?:^|\n)default\s{1,12}login\s{1,12}\S{1,120}\s{1,12}password\s{1,12})(\S{3,200})/g),
];

/** … and `.pgpass`: `host:port:database:user:password`. */
export const PGPASS: readonly CommandPattern[] = [
  command(
    ":",
    /((?:^|\n)(?:\*|localhost|[\w-]{1,60}(?:\.[\w-]{1,60}){1,6}|\/[\w./-]{1,80}):(?:[56]4\d\d|\*):(?:\*|[\w-]{1,63}):(?:\*|[\w.@-]{1,63}):)([^\s:][^\s]{5,200})(?=\s|$)/g,
  ),
];
