import { describe, expect, it } from 'vitest';
import { defaultOptions } from '../../../engine/basics/host.ts';
import { edited, good } from '../../support/goodFile.ts';
import { checkFindings } from '../../support/expected.ts';
import { resolveText } from '../../support/resolve.ts';

const GiB = 2 ** 30;
const own = 'reserved = 1GiB';
const framework = edited(own, 'reserved = framework');

/** Of the first pipeline, GiB that each device has reserved, and what they are made of. */
const reserved = (text: string, options = defaultOptions) =>
  resolveText(text, { options }).plan.pipelines[0]?.devices.map(({ reserved: all, reservedParts }) => [
    all / GiB,
    ...(reservedParts === undefined ? [] : [reservedParts.context / GiB, reservedParts.communicators / GiB]),
  ]);
const four = <T>(one: T): T[] => [one, one, one, one];

describe('reserved', () => {
  it('is the figure that is written, and 0 without one', () => {
    expect(reserved(good)).toEqual(four([1]));
    expect(reserved(edited(own, ''))).toEqual(four([0]));
  });

  it('of a framework is a context and a communicator for each group of the pipeline', () => {
    expect(reserved(framework)).toEqual(four([2, 1.5, 0.5]));
    const wide = edited('gpu[4]', 'gpu[16]', framework);
    expect(reserved(edited('schedule = 1f1b', 'schedule = 1f1b  data = 2', wide))).toEqual(four([2.5, 1.5, 1]));
    expect(reserved(edited('schedule = 1f1b', 'schedule = 1f1b  data = 2  tensor = 2', wide))).toEqual(
      four([3, 1.5, 1.5]),
    );
    // Context ranks talk among themselves, and reduce gradients.
    expect(reserved(edited('schedule = 1f1b', 'schedule = 1f1b  context = 2', wide))).toEqual(four([3, 1.5, 1.5]));
    expect(reserved(edited('schedule = 1f1b', 'schedule = 1f1b  data = 2  expert = 2', wide))).toEqual(
      four([3, 1.5, 1.5]),
    );
    // One device talks to nobody.
    expect(reserved(edited('balance(4)', 'balance(1)', framework))).toEqual([[1.5, 1.5, 0]]);
  });

  it('of a framework is by stage, where a stage has groups of its own', () => {
    const stages = [0, 1, 2, 3].map(
      (index) =>
        `stage s${index} { layers = block[${2 * index}..${2 * index + 1}]${index === 0 ? '  tensor = 2' : ''} }`,
    );
    const wide = edited('gpu[4]', 'gpu[5]', framework).replace('peak_memory(stage = 0)', 'peak_memory(stage = s0)');
    expect(reserved(edited('stages = balance(4)', stages.join('\n  '), wide))).toEqual([
      [2.5, 1.5, 1],
      ...four([2, 1.5, 0.5]).slice(1),
    ]);
  });

  it('of a framework has a communicator where two copies of a stage reduce their gradients', () => {
    const chimera = edited('schedule = 1f1b', 'schedule = chimera', framework);
    expect(reserved(chimera)).toEqual(four([2.5, 1.5, 1]));
  });

  it('of a framework follows the settings', () => {
    const memory = { context: GiB, communicator: 0.25 * GiB, reservedMost: 1.125 * GiB };
    expect(reserved(framework, { ...defaultOptions, memory })).toEqual(four([1.125, 1, 0.125]));
  });

  it('of what std:hardware has is that of a framework', () => {
    const text = edited('device v100 { memory = 16GiB  reserved = 1GiB }', 'import { v100_32 } from "std:hardware"');
    expect(reserved(edited('gpu[4] = v100', 'gpu[4] = v100_32', text))).toEqual(four([2, 1.5, 0.5]));
  });

  it('never takes more than there is', () => {
    // 1.5 GiB of context and half of a communicator.
    expect(reserved(edited('memory = 16GiB', 'memory = 1.75GiB', framework))).toEqual(four([1.75, 1.5, 0.25]));
    checkFindings(edited('memory = 16GiB  reserved = 1GiB', 'memory = 1GiB  reserved = ⟦value/range:framework⟧'), [
      'at least the 1.5 GiB of a context; it must be under the 1 GiB of memory',
    ]);
    checkFindings(edited(own, 'reserved = ⟦value/range:16GiB⟧'));
  });

  it('takes a size or the word, by itself or in parentheses', () => {
    expect(reserved(edited(own, 'reserved = (framework)'))).toEqual(four([2, 1.5, 0.5]));
    checkFindings(edited(own, 'reserved = ⟦type/mismatch:[framework]⟧'), ['a size or `framework`']);
    checkFindings(edited(own, 'reserved = ⟦name/unknown:framewrok⟧'), ['Did you mean "framework"?']);
    checkFindings(edited(own, 'reserved = ⟦name/unknown:framework⟧ + 1GiB'));
  });
});
