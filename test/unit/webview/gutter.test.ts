import { expect, test } from 'vitest';
import { commonEnd } from '../../../webview/view/paint/names.ts';
import { optimizerPlan } from '../planning/optimizerFixture.ts';

test('what all names end in tells no device apart', () => {
  const plan = optimizerPlan('adam', 1);
  const named = (...names: string[]) => ({ ...plan, devices: names.map((name) => ({ ...plan.devices[0], name })) });
  expect(commonEnd(named('node[0].gpu[0]', 'node[8].gpu[0]'))).toBe('.gpu[0]');
  expect(commonEnd(named('node[0].gpu[0]', 'node[0].gpu[1]'))).toBe('');
  expect(commonEnd(named('node[0].gpu[0]', 'gpu[0]'))).toBe('');
  expect(commonEnd(named('gpu[0]', 'gpu[0] transfer'))).toBe('');
  expect(commonEnd(named('node[0].gpu[0]'))).toBe('');
  expect(commonEnd(named())).toBe('');
});
