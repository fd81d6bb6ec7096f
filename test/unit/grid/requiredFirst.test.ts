/** Conditions of a schedule are tested before anything that they are there to rule out. */
import { describe, expect, it } from 'vitest';
import { separates } from '../../../engine/grid/separates.ts';
import { analyse } from '../../support/analyse.ts';
import { toEnd } from '../../../engine/basics/steps.ts';

const rule = 'on(s, j) = s * r + mod(j, r)  order = greedy(prefer = [B, F])';
const whole = 'require mod(devices, r) == 0';
const schedule = (...conditions: readonly string[]): string =>
  `schedule mine { param r = 3  ${conditions.join(' ')}  stages = devices / r  ${rule} }\n`;
const test = 'expect mine { over(devices = 1..6, microbatches = 6)  valid }';
const errors = (text: string): readonly string[] =>
  analyse(text)
    .findings.filter(({ severity }) => severity === 'error')
    .map(({ code, message }) => `${code}: ${message}`);
const verdicts = (text: string): readonly string[] =>
  analyse(text).tests[0].answer.verdicts.map(({ devices, verdict }) => `${devices} ${verdict}`);

describe('a condition on the devices', () => {
  const taken = ['1 refused', '2 refused', '3 passed', '4 refused', '5 refused', '6 passed'];
  it('is tested before the number of stages', () => {
    expect(verdicts(schedule(whole) + test)).toEqual(taken);
    expect(errors(schedule(whole) + test)).toEqual([]);
  });
  it('may read names of the schedule', () => {
    expect(verdicts(schedule('let left(n) = mod(n, r)  let over = left(devices)  require over == 0') + test)).toEqual(
      taken,
    );
  });
  it('that reads stages is tested once there are some', () => {
    const later = 'require mod(devices, r) == 0  require stages >= 2';
    expect(verdicts(schedule(later) + test)).toEqual([...taken.slice(0, 2), '3 refused', ...taken.slice(3)]);
    // Alone it cannot rule out what no number of stages follows from.
    expect(verdicts(schedule('let fewest = 2  require stages >= fewest') + test)[0]).toBe('1 failed');
  });
  it('is advised where it is missing, and then changes the outcome', () => {
    const { conditions } = analyse(schedule() + test).tests[0].answer;
    expect(conditions).toEqual(['mod(devices, 3) == 0']);
    expect(verdicts(schedule(`require ${conditions?.[0] ?? ''}`) + test)).toEqual(taken);
  });
  it('is not advised where another condition is wrong before it', () => {
    const text = `schedule mine { param g = devices in 1..2  require g >= 1  order = greedy(prefer = [B, F]) }\n`;
    const [{ answer }] = analyse(text + test).tests;
    expect(answer.verdicts.map(({ verdict }) => verdict === 'failed')).toEqual([false, false, true, true, true, true]);
    expect(answer.conditions).toBeUndefined();
  });
  it('separates shapes only if it refuses all that fail, and no other', () => {
    const [{ test: request, answer }] = analyse(schedule() + test).tests;
    const shapes = answer.verdicts.map(({ verdict, ...shape }) => ({ ...shape, passes: verdict === 'passed' }));
    const tried = (condition: string): boolean => toEnd(separates(request, [condition], shapes));
    expect(tried('mod(devices, 3) == 0')).toBe(true);
    expect(tried('mod(devices, 2) == 0')).toBe(false);
    expect(tried('devices >= 3')).toBe(false);
    expect(tried('stages >= 1')).toBe(false);
  });
});

describe('a pipeline with numbers that the schedule refuses', () => {
  const pipeline = (devices: number, stages: string): string => `device d { memory = 16GiB }
cluster box { gpu[${devices}] = d  link = 25GB/s }
model toy { layer block[4] { forward = 1ms  backward = 2ms } }
pipeline train { model = toy  devices = box  microbatches = 6  stages = balance(${stages})  schedule = mine }
`;
  const refusal = 'mine cannot run: it requires mod(devices, r) == 0, but here devices = 4 and r = 3';
  it('hears of the condition', () => {
    expect(errors(schedule(whole) + pipeline(4, ''))).toEqual([`schedule/shape: ${refusal}; nearest r: 2 or 4.`]);
  });
  it('runs on fewer devices that the schedule takes', () => {
    expect(errors(schedule(whole) + pipeline(4, '1'))).toEqual([]);
    expect(analyse(schedule(whole) + pipeline(4, '1')).pipelines[0]?.plan.devices).toHaveLength(3);
  });
  it('hears of the stages that the others have, if there are some', () => {
    expect(errors(schedule(whole) + pipeline(4, '4'))).toEqual([
      'schedule/shape: mine cannot run: "stages" is 4 for no number of devices; nearest stages: 1.',
    ]);
  });
  it('hears of the condition alone, where nothing could be placed with its argument', () => {
    const loops = `schedule mine { param c = 2 in 0..4  require c >= 1  placement = loop(c)
      row(d) = each(x in 0..<c, F[0..<microbatches, chunk = x]), each(x in c-1..0 step -1, B[0..<microbatches, chunk = x]) }\n`;
    const use = pipeline(2, '4');
    expect(errors(loops + use)).toEqual([]);
    expect(errors(loops + use.replace('= mine', '= mine(c = 0)'))).toEqual([
      'schedule/shape: mine cannot run: it requires c >= 1, but here c = 0; nearest c: 1.',
    ]);
  });
});
