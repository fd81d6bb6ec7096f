/** Characters that Markdown writes by name or number. */
const names = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['nbsp', '\u00a0'],
]);
const lastCodePoint = 0x10ffff;
/** What stands for no character stays as it is written. */
export const entities = (text: string): string =>
  text.replaceAll(/&(\w+);|&#(\d+);/g, (all, name: string | undefined, code: string | undefined) => {
    if (name !== undefined) return names.get(name) ?? all;
    return Number(code) > lastCodePoint ? all : String.fromCodePoint(Number(code));
  });
