/** A Python string literal in ASCII, whatever `text` holds. Half of a surrogate pair becomes U+FFFD, as no encoding can print it. */
export function pythonString(text: string): string {
  let body = '';
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    if (character === '"' || character === '\\') body += `\\${character}`;
    else if (code >= 0x20 && code < 0x7f) body += character;
    else if (code >= 0xd800 && code < 0xe000) body += '\\ufffd';
    else if (code < 0x100) body += `\\x${hexadecimal(code, 2)}`;
    else body += code < 0x10000 ? `\\u${hexadecimal(code, 4)}` : `\\U${hexadecimal(code, 8)}`;
  }
  return `"${body}"`;
}

const hexadecimal = (code: number, digits: number): string => code.toString(16).padStart(digits, '0');
