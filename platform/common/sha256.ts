/** SHA-256 (FIPS 180-4), where it is needed at once: browsers have it only as a promise. */

/** The first 32 bits of the fractional parts of the square roots (of 8) and cube roots (of 64) of the first primes. */
const { squares, cubes } = fractions();

function fractions(): { readonly squares: Uint32Array; readonly cubes: Uint32Array } {
  const primes: number[] = [];
  for (let next = 2; primes.length < 64; next += 1) if (primes.every((prime) => next % prime !== 0)) primes.push(next);
  const fraction = (root: number): number => Math.floor((root - Math.floor(root)) * 2 ** 32);
  return {
    squares: Uint32Array.from(primes.slice(0, 8), (prime) => fraction(Math.sqrt(prime))),
    cubes: Uint32Array.from(primes, (prime) => fraction(Math.cbrt(prime))),
  };
}

/** Of the text's UTF-8 bytes. */
export function sha256(text: string): Uint8Array {
  const bytes = new TextEncoder().encode(text);
  const view = padded(bytes);
  const state = Uint32Array.from(squares);
  const words = new Uint32Array(64);
  for (let block = 0; block < view.byteLength; block += 64) mix(state, words, view, block);
  const hash = new DataView(new ArrayBuffer(32));
  for (const [at, word] of state.entries()) hash.setUint32(at * 4, word);
  return new Uint8Array(hash.buffer);
}

export const sha256Hex = (text: string): string =>
  Array.from(sha256(text), (byte) => byte.toString(16).padStart(2, '0')).join('');

/** The bytes, a one bit, zeros, and the count of bits, in whole blocks of 64 bytes. */
function padded(bytes: Uint8Array): DataView {
  const whole = new Uint8Array(Math.ceil((bytes.length + 9) / 64) * 64);
  whole.set(bytes);
  whole[bytes.length] = 0x80;
  const view = new DataView(whole.buffer);
  view.setUint32(whole.length - 8, Math.floor(bytes.length / 2 ** 29));
  view.setUint32(whole.length - 4, bytes.length << 3);
  return view;
}

const turned = (word: number, by: number): number => (word >>> by) | (word << (32 - by));

function mix(state: Uint32Array, words: Uint32Array, view: DataView, block: number): void {
  for (let t = 0; t < 16; t += 1) words[t] = view.getUint32(block + t * 4);
  for (let t = 16; t < 64; t += 1) {
    const before = words[t - 15];
    const last = words[t - 2];
    const low = turned(before, 7) ^ turned(before, 18) ^ (before >>> 3);
    const high = turned(last, 17) ^ turned(last, 19) ^ (last >>> 10);
    words[t] = words[t - 16] + low + words[t - 7] + high;
  }
  let [a, b, c, d, e, f, g, h] = state;
  for (let t = 0; t < 64; t += 1) {
    const choice = (e & f) ^ (~e & g);
    const first = (h + (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) + choice + cubes[t] + words[t]) | 0;
    const majority = (a & b) ^ (a & c) ^ (b & c);
    const second = ((turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + majority) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + first) | 0;
    d = c;
    c = b;
    b = a;
    a = (first + second) | 0;
  }
  state[0] += a;
  state[1] += b;
  state[2] += c;
  state[3] += d;
  state[4] += e;
  state[5] += f;
  state[6] += g;
  state[7] += h;
}
