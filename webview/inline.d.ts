/** The bundler replaces `inline:./file.ts` by the bundled source of that file, as a string. */
declare module 'inline:*' {
  const source: string;
  export default source;
}
