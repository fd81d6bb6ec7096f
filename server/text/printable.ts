/**
 * The same text, safe to print. Tabs become two spaces. Other control characters become their pictures (␛), so that a file cannot
 * steer a terminal. Controls of the writing direction become `�`, so that a file cannot hide what it says.
 * A space splits what a CI log takes for a command anywhere on a line (`##[…]`, `##vso[…]`).
 */
export function printable(text: string): string {
  return text
    .replaceAll('\t', '  ')
    .replaceAll(/##(?=(?:vso)?\[)/gi, '# #')
    .replaceAll(/\p{Cc}/gu, (control) => (control < ' ' ? String.fromCharCode(0x2400 + control.charCodeAt(0)) : '�'))
    .replaceAll(/[\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\p{Cs}]/gu, '�');
}
