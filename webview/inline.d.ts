/** The bundler replaces `inline:./file.ts` by the bundled source of that file, and `inline:NAME` by a text that the build makes. */
declare module 'inline:*' {
  const source: string;
  export default source;
}
