/**
 * Messages that are hard to type into a terminal program, each for a different reason. `tag` is unique to a message.
 */
export const messages: readonly ((tag: string) => string)[] = [
  (tag) => `${tag} plain words`,
  (tag) => `${tag} first\n\n  second, indented\nthird`,
  (tag) => `!echo ${tag} would be a command`,
  (tag) => `/${tag} would be a command, too`,
  (tag) => `${tag} ends like a line to go on with \\`,
  (tag) => `${tag} "quotes" 'both' \`ticks\` $HOME $(date) ; | & # ~ 👩‍👩‍👧 ünïcödé @work`,
];
