import { describe, expect, it } from 'vitest';
import { mostDeclared } from '../../../engine/values/program.ts';
import { marksOf, paintKindOf, typeOf } from '../../../webview/picture/blocks.ts';
import { kindCollective, kindOfDeclared } from '../../../webview/picture/columns.ts';
import { shortName } from '../../../webview/picture/describe.ts';
import { secondsByKind } from '../../../webview/picture/rangeFigures.ts';
import { find, parseQuery } from '../../../webview/input/query.ts';
import { pictureOf } from '../../../webview/worker/makePicture.ts';
import { memoryStack } from '../../../engine/simulate/memoryStack.ts';
import { itemName } from '../../../engine/analyze/itemWords.ts';
import { itemColour, operationColour } from '../../../webview/view/scene/stackColours.ts';
import { themeFrom } from '../../../webview/view/scene/theme.ts';
import { runOf } from '../../support/analyse.ts';

const names = Array.from({ length: mostDeclared }, (_, number) => `work_${number}`);
const { plan, run } = runOf(`
device x { memory = 80GiB }
cluster box { gpu[2] = x  link = 10GB/s + 1ms }
model m { layer a[2] { forward = 4ms  backward = 8ms  weights = 1GiB  output = 10MB } }
schedule mine {
  ${names.map((name, number) => `operation ${name} { time = ${number + 1}ms  holds = ${number + 1}MiB }`).join('\n  ')}
  row(d) = each(j in 0..<microbatches, F[j], ${names.map((name) => `${name}[j]`).join(', ')}, B[j])
}
pipeline train { model = m  devices = box  data = 1  microbatches = 2  stages = balance(2)  schedule = mine }
`);
const picture = pictureOf({ plan }, run, 1);
const blocks = [...picture.columns.word.keys()].filter((block) => typeOf(picture, block) === 'operation');
const numberOf = (block: number): number => Number(/work_(\d+?)\d$/.exec(shortName(plan, picture, block))?.[1]);

describe('blocks of operations that a schedule declares', () => {
  it('have a colour of their own up to the sixth, then the same ones under other marks', () => {
    expect(blocks).toHaveLength(mostDeclared * 4);
    const looks = new Map<number, string>();
    for (const block of blocks) {
      const number = numberOf(block);
      expect(paintKindOf(picture, block)).not.toBe(kindCollective);
      looks.set(number, `${paintKindOf(picture, block)} ${marksOf(picture, block)}`);
    }
    expect(looks.size).toBe(mostDeclared);
    expect(new Set(looks.values()).size).toBe(mostDeclared);
    expect(looks.get(6)).toBe(`${kindOfDeclared(0)} 1`);
    expect(looks.get(15)).toBe(`${kindOfDeclared(3)} 2`);
  });

  it('are in the bar of busy time by colour', () => {
    const seconds = secondsByKind(picture);
    expect(seconds[kindCollective]).toBe(0);
    // The 1st, 7th and 13th operation share a colour: 1 + 7 + 13 ms, 2 microbatches, 2 devices.
    expect(seconds[kindOfDeclared(0)] * 1e3).toBeCloseTo(21 * 4, 9);
    expect(seconds[kindOfDeclared(5)] * 1e3).toBeCloseTo(18 * 4, 9);
  });

  it('are found by name', () => {
    const search = (text: string) => {
      const query = parseQuery(text, picture.columns.declared);
      return typeof query === 'string' ? query : [...find(plan, picture, query)];
    };
    expect(search('kind:work_7')).toEqual(blocks.filter((block) => numberOf(block) === 7));
    expect(search('kind:work_7')).toHaveLength(4);
    expect(search('kind:operation')).toEqual(blocks);
    expect(search('kind:work_7 kind:F mb:0')).toHaveLength(2);
    expect(search('kind:work_99')).toContain('work_15, operation, sync or optimizer');
  });

  it('give what they hold their colour in the memory of a device', () => {
    const theme = themeFrom('dark', () => '');
    const { kind, operation, bytes } = memoryStack(plan, run.timeline, 0);
    const held = [...operation.keys()].filter((piece) => operation[piece] >= 0);
    expect(held).toHaveLength(mostDeclared * 2);
    for (const piece of held) {
      expect(bytes[piece] / 2 ** 20).toBe(operation[piece] + 1);
      expect(operationColour(theme, operation[piece])).toEqual(theme.kinds[kindOfDeclared(operation[piece])]);
    }
    expect(new Set(held.map((piece) => kind[piece])).size).toBe(1);
    // The last operation of a microbatch holds what is there at the peak: the others have ended.
    const [device] = run.report.devices;
    const items = device.memory_items.filter(({ operation: of }) => of !== undefined);
    expect(items.map((item) => itemName(item, device))).toEqual(['operation work_15']);
    const colours = items.map((item) => itemColour(theme, item, picture.columns.declared ?? []));
    expect(colours).toEqual([theme.kinds[kindOfDeclared(15)]]);
  });
});
