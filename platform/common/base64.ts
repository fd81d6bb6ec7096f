/** Bytes as text and back. */

/** Arguments of one call: engines have a limit. */
const most = 0x8000;

/** Of bytes, or of a text in UTF-8. */
export function base64(content: Uint8Array | string): string {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
  let binary = '';
  for (let at = 0; at < bytes.length; at += most) binary += String.fromCharCode(...bytes.subarray(at, at + most));
  return btoa(binary);
}

/** Throws for a text that is no base64. */
export const fromBase64 = (text: string): Uint8Array => Uint8Array.from(atob(text), (unit) => unit.charCodeAt(0));
