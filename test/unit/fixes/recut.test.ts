/** Stage blocks that become a balanced cut: comments stay, and nothing that follows gets into one. */
import { describe, expect, it } from 'vitest';
import { apply } from '../../../engine/fixes/proposal.ts';
import { recut } from '../../../engine/fixes/recut.ts';
import { pipelineBody } from '../../../engine/fixes/source.ts';
import { parse } from '../../../grammar/index.ts';
import * as fc from '../../support/property.ts';

function cutAgain(text: string): string {
  const syntax = parse(text, { size: 1e6, faults: 100 });
  const body = pipelineBody(syntax, 'p');
  if (body === undefined) throw new Error('no pipeline');
  const cut = recut(syntax, body, 8);
  if ('refused' in cut) throw new Error(cut.refused);
  return apply(text, cut.edits);
}

describe('blocks that are cut again', () => {
  it.each([
    [
      'pipeline p { stage a { layers = x }  stage b { layers = y }  model = m }',
      'pipeline p { stages = balance(8)  model = m }',
    ],
    [
      'pipeline p {\n  stage a { layers = x }  // first\n  stage b { layers = y }  // second\n  stage c { layers = z }\n}\n',
      'pipeline p {\n  stages = balance(8)  // first\n  // second\n}\n',
    ],
    [
      'pipeline p {\n  stage a {\n    layers = x  // why\n  }\n  stage b { layers = y /* how */ }\n  model = m\n}\n',
      'pipeline p {\n  stages = balance(8)\n  // why\n  /* how */\n  model = m\n}\n',
    ],
    [
      'pipeline p {\n  stage a { layers = x }\n  // about b\n  stage b { layers = y }  model = m\n}\n',
      'pipeline p {\n  stages = balance(8)\n  // about b\n    model = m\n}\n',
    ],
  ])('%j', (text, expected) => {
    expect(cutAgain(text)).toBe(expected);
  });

  it('keep all comments and all other entries, wherever they are', () => {
    const gap = fc.constantFrom(' ', '\n  ', '  // c\n  ', '\n  // c\n  ', ' /* c */ ', '\n\n  ', '  /// c\n', '\r\n');
    const part = fc.constantFrom(
      'stage a { layers = x }',
      'stage b {\n  layers = y // c\n}',
      'stage d { /* c */ layers = z }',
      'model = m',
      'data = 2',
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(part, gap), { minLength: 1, maxLength: 8 }), gap, (parts, before) => {
        if (!parts.some(([words]) => words.startsWith('stage'))) return;
        const text = `pipeline p {${before}${parts.flat().join('')}}`;
        const changed = cutAgain(text);
        const [was, is] = [text, changed].map((written) => parse(written, { size: 1e6, faults: 100 }));
        expect(is.errors, changed).toEqual([]);
        expect(is.comments.map((comment) => comment.text.trim())).toEqual(
          was.comments.map((comment) => comment.text.trim()),
        );
        const others = parts.filter(([words]) => !words.startsWith('stage')).map(([words]) => words.split(' ')[0]);
        const keysOf = ({ declarations: [block] }: typeof is) =>
          block.kind === 'block'
            ? (block.body?.entries ?? []).flatMap((entry) => (entry.kind === 'entry' ? [entry.key.text] : []))
            : [];
        expect(keysOf(is).filter((key) => key !== 'stages')).toEqual(others);
        expect(keysOf(is).filter((key) => key === 'stages')).toHaveLength(1);
      }),
      { numRuns: 500 },
    );
  });
});
