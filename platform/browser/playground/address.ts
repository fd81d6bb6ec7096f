/** The text in the address of the page: what follows `#` stays in the browser, so sharing a link sends it to nobody. */

export interface Shared {
  /** Name of the file, with its ending. */
  readonly name: string;
  readonly text: string;
}

/** Programs cut longer links off. */
const longest = 200_000;
/** A text that is larger when unpacked is no schedule that anyone has written. */
const mostText = 2 ** 20;

/** `#1.NAME.TEXT`: the text compressed (raw deflate), in the letters of base64 for addresses. */
export async function addressOf({ name, text }: Shared): Promise<string> {
  const packed = await bytesOf(new Blob([text]).stream().pipeThrough(new CompressionStream('deflate-raw')));
  let binary = '';
  for (const byte of packed) binary += String.fromCharCode(byte);
  const letters = btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
  return `#1.${encodeURIComponent(name.replaceAll('.', '~'))}.${letters}`;
}

/** `#example=NAME`: an example as it is. */
export const exampleAddress = (name: string): string => `#example=${encodeURIComponent(name)}`;

export type Wanted = Shared | { readonly example: string } | { readonly problem: string };

const broken = { problem: 'The link is damaged: it does not have the whole text. Ask for it again.' } as const;

/** What an address asks for; undefined where it asks for nothing. */
export async function readAddress(hash: string): Promise<Wanted | undefined> {
  if (hash.length < 2) return undefined;
  if (hash.startsWith('#example=')) {
    const example = decoded(hash.slice('#example='.length));
    return example === undefined ? broken : { example };
  }
  const [, name = '', letters = ''] = /^#1\.([^.]*)\.([\w-]*)$/.exec(hash) ?? [];
  const file = decoded(name)?.replaceAll('~', '.');
  if (letters === '' || hash.length > longest || file === undefined || !/^[\p{L}\p{N} _.-]{1,100}$/u.test(file))
    return broken;
  try {
    const binary = atob(letters.replaceAll('-', '+').replaceAll('_', '/'));
    const packed = Uint8Array.from(binary, (unit) => unit.charCodeAt(0));
    const unpacked = new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
    const bytes = await bytesOf(unpacked, mostText);
    return { name: file, text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch {
    return broken;
  }
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

async function bytesOf(stream: ReadableStream<Uint8Array>, most = Number.POSITIVE_INFINITY): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let size = 0;
  const reader = stream.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.length;
    if (size > most) throw new Error('too long');
    parts.push(value);
  }
  const all = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
