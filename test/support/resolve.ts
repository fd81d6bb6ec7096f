import { expect } from 'vitest';
import { parse } from '../../grammar/parse.ts';
import { type EngineHost, type EngineOptions, defaultOptions } from '../../engine/host.ts';
import type { Resolution } from '../../engine/language/resolution.ts';
import { resolve } from '../../engine/resolve.ts';

export const uri = 'file:///project/test.pipe';

/** Files by name beside the tested one; `outside` and `unreadable` stand for those answers of a host. */
export const hostOf = (files: Readonly<Record<string, string>> = {}, read: string[] = []): EngineHost => ({
  resolve: (path, from) => new URL(path, from).href,
  read(wanted) {
    read.push(wanted);
    const name = wanted.slice('file:///project/'.length);
    if (name === 'outside.pipe') return { problem: 'outside' };
    if (name === 'locked.pipe') return { problem: 'unreadable', detail: 'permission denied' };
    return Object.hasOwn(files, name) ? { text: files[name] } : { problem: 'not-found' };
  },
});

export interface Setting {
  readonly files?: Readonly<Record<string, string>>;
  readonly options?: EngineOptions;
  readonly overrides?: Readonly<Record<string, number>>;
  readonly host?: EngineHost;
}

/** Resolves a text. */
export function resolveText(
  text: string,
  { files, options = defaultOptions, overrides, host = hostOf(files) }: Setting = {},
): Resolution {
  const syntax = parse(text, { size: options.limits.fileSize, faults: options.limits.findings });
  return resolve({ uri, syntax, host, options, overrides });
}

const mark = /⟦([a-z]+\/[a-z-]+):([^⟧]*)⟧/g;

/**
 * Resolves a text with marks `⟦code:text⟧` and expects just these findings at just these places. A hint needs a mark too.
 * `messages` are parts of messages, in order of the findings; an empty one is not looked at.
 */
export function checkFindings(marked: string, messages: readonly string[] = [], setting: Setting = {}): Resolution {
  const expected: string[] = [];
  let text = '';
  let at = 0;
  for (const found of marked.matchAll(mark)) {
    text += marked.slice(at, found.index);
    expected.push(`${found[1]} ${text.length} ${found[2]}`);
    text += found[2];
    at = found.index + found[0].length;
  }
  text += marked.slice(at);
  const resolution = resolveText(text, setting);
  const found = resolution.findings.map(
    (finding) => `${finding.code} ${finding.place.start} ${text.slice(finding.place.start, finding.place.end)}`,
  );
  expect(found, resolution.findings.map((finding) => finding.message).join('\n')).toEqual(expected);
  for (const [index, part] of messages.entries()) expect(resolution.findings[index].message).toContain(part);
  return resolution;
}

/** A file without a mistake; tests replace parts of it. */
export const good = `/// Eight equal layers.
model toy {
  layer block[8] { forward = 4ms  backward = 8ms  weights = 256MiB  activation = 512MiB  output = 16MiB }
}
device v100 { memory = 16GiB  reserved = 1GiB }
cluster box { gpu[4] = v100  link = 25GB/s + 5us }
param m = 8 in 1..64 step 1
let half = m / 2
pipeline train {
  model = toy
  devices = box
  microbatches = 2 * half
  stages = balance(4)
  schedule = 1f1b
}
expect train { bubble < 30%  15GiB > peak_memory  peak_memory(stage = 0) < 15GiB  in_flight(device = 1) <= 3 }
`;

/** The good file with one part replaced; it must occur once. */
export function edited(part: string, by: string, text = good): string {
  if (text.split(part).length !== 2) throw new Error(`"${part}" is not there once`);
  return text.replace(part, () => by);
}
