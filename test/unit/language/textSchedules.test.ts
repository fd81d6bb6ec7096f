/** Published schedules that are no policies: the message says what to copy and to import, and that works. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { expect, it, test } from 'vitest';
import { resolveText } from '../../support/resolve.ts';
import { exampleNames, exampleText } from '../../support/example.ts';
import { call } from '../cli/harness.ts';
import { findPolicy } from '../../../engine/policies/registry.ts';
import { textSchedules } from '../../../engine/language/textSchedules.ts';

const root = path.resolve(import.meta.dirname, '../../..');
const names = [...textSchedules.keys()];

const messages = (text: string, files = {}) =>
  resolveText(text, { files })
    .findings.filter(({ severity }) => severity === 'error')
    .map(({ message }) => message);

const file = (head: string, schedule: string) =>
  `${head}model m { layer a[4] { forward = 1ms  backward = 2ms } }
device d { memory = 1GiB }
cluster c { gpu[4] = d  link = 1GB/s }
pipeline p { model = m  devices = c  microbatches = 8  stages = balance(4)  schedule = ${schedule} }`;

it.each(names)(
  '%s: the page and the file are there, and the import that the message writes gives its schedules',
  (name) => {
    const { page, example, declares } = textSchedules.get(name) ?? { page: '', example: '', declares: [] };
    expect(existsSync(path.join(root, 'docs/schedules', `${page}.md`))).toBe(true);
    const [message] = messages(file('', name));
    expect(message).toContain(`Unknown policy "${name}". It is a schedule in text`);
    expect(message).toContain(`docs/schedules/${page}.md`);
    const line = /`(import [^`]+)`/.exec(message ?? '')?.[1] ?? '';
    for (const declared of declares) {
      const found = messages(file(`${line}\n`, declared), {
        [`${example}.pipe`]: exampleText(`schedules/${example}.pipe`),
      });
      expect(found.filter((each) => each.includes('Unknown') || each.includes('no file'))).toEqual([]);
    }
    expect(findPolicy(name)).toBeUndefined();
  },
);

test('every example whose schedule has the name of its page, and is no policy, is one of them', () => {
  const own = exampleNames.flatMap((name) => {
    const schedule = /^schedules\/(\w+)\.pipe$/.exec(name)?.[1];
    return schedule === undefined ||
      findPolicy(schedule) !== undefined ||
      !existsSync(path.join(root, `docs/schedules/${schedule}.md`))
      ? []
      : [schedule];
  });
  expect(names.toSorted()).toEqual(own.toSorted());
});

it.each(names)('explain %s prints its page', async (name) => {
  const { status, out } = await call(['explain', name]);
  expect(status).toBe(0);
  expect(out).toMatch(/^# /);
  expect(out.length).toBeGreaterThan(500);
});

test('a name of a file that is empty is said to be so', async () => {
  expect((await call(['check', ''])).err).toContain('The name of a file is empty.');
});
