/**
 * The same text, safe to print: tabs as two spaces, other control characters as their pictures (␛), so that a file
 * cannot steer a terminal, and controls of the writing direction as `�`, so that it cannot hide what it says.
 */
export function printable(text: string): string {
  return text
    .replaceAll('\t', '  ')
    .replaceAll(/\p{Cc}/gu, (control) => (control < ' ' ? String.fromCharCode(0x2400 + control.charCodeAt(0)) : '�'))
    .replaceAll(/[\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\p{Cs}]/gu, '�');
}
