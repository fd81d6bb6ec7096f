import { expect, test } from 'vitest';
import { commonEnd, shortened, tellingNumbers } from '../../../webview/view/paint/names.ts';
import { optimizerPlan } from '../planning/optimizerFixture.ts';

const plan = optimizerPlan('adam', 1);
const named = (...names: string[]) => ({ ...plan, devices: names.map((name) => ({ ...plan.devices[0], name })) });

test('what all names end in tells no device apart', () => {
  expect(commonEnd(named('node[0].gpu[0]', 'node[8].gpu[0]'))).toBe('.gpu[0]');
  expect(commonEnd(named('node[0].gpu[0]', 'node[0].gpu[1]'))).toBe('');
  expect(commonEnd(named('node[0].gpu[0]', 'gpu[0]'))).toBe('');
  expect(commonEnd(named('gpu[0]', 'gpu[0] transfer'))).toBe('');
  expect(commonEnd(named('node[0].gpu[0]'))).toBe('');
  expect(commonEnd(named())).toBe('');
});

test.each([
  [
    ['node[0].gpu[0]', 'node[0].gpu[4]', 'node[1].gpu[0]', 'node[1].gpu[4]'],
    ['0.0', '0.4', '1.0', '1.4'],
  ],
  [
    ['rack[2].node[0].gpu[0]', 'rack[2].node[0].gpu[1]'],
    ['0', '1'],
  ],
  [
    ['h100[0]', 'h100[1]'],
    ['0', '1'],
  ],
  [
    ['big[0]', 'small[0]'],
    ['', ''],
  ],
  [
    ['gpu[0]', 'gpu[0] transfer'],
    ['', ''],
  ],
  [['gpu[0]'], ['']],
])('numbers that tell devices apart: %j', (names, expected) => {
  const found = tellingNumbers(named(...names));
  expect(names.map((name) => found.get(name) ?? '')).toEqual(expected);
});

test('no width gives two rows the same short name', () => {
  const names = [0, 1, 10, 11].flatMap((node) => [0, 4].map((card) => `cluster.node[${node}].gpu[${card}]`));
  const cluster = named(...names);
  // A letter is one wide.
  const ink = { measureText: (text: string) => ({ width: text.length }) };
  for (let width = 4; width < 30; width += 1) {
    const shown = names.map((name) =>
      shortened(ink, name, commonEnd(cluster), width, tellingNumbers(cluster).get(name)),
    );
    expect(new Set(shown).size, `${width}: ${shown.join(' ')}`).toBe(names.length);
  }
});
