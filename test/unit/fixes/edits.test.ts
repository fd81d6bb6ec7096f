import * as fc from '../../support/property.ts';
import { describe, expect, it } from 'vitest';
import { writtenLayers } from '../../../engine/fixes/layers.ts';
import { apply } from '../../../engine/fixes/proposal.ts';
import { pipelineBody, setKey, stageBody } from '../../../engine/fixes/source.ts';
import { parse } from '../../../grammar/parse.ts';

describe('writtenLayers', () => {
  it('writes runs as ranges', () => {
    expect(writtenLayers(['embed', 'block[0]', 'block[1]', 'block[2]', 'head'])).toBe('embed, block[0..2], head');
    expect(writtenLayers(['block[3]'])).toBe('block[3]');
    expect(writtenLayers(['block[3]', 'block[5]', 'block[6]', 'other[7]'])).toBe('block[3], block[5..6], other[7]');
    expect(writtenLayers([])).toBe('');
  });

  it('names every layer once and in order', () => {
    const layer = fc.oneof(
      fc.constantFrom('embed', 'head'),
      fc.tuple(fc.constantFrom('a', 'b'), fc.nat(6)).map(([name, index]) => `${name}[${index}]`),
    );
    const expanded = (text: string): string[] =>
      text === ''
        ? []
        : text.split(', ').flatMap((part) => {
            const range = /^(\w+)\[(\d+)\.\.(\d+)\]$/.exec(part);
            if (range === null) return [part];
            const [from, to] = [Number(range[2]), Number(range[3])];
            return Array.from({ length: to - from + 1 }, (_, i) => `${range[1]}[${from + i}]`);
          });
    fc.assert(
      fc.property(fc.array(layer, { maxLength: 20 }), (layers) => {
        expect(expanded(writtenLayers(layers))).toEqual(layers);
      }),
    );
  });
});

describe('setKey', () => {
  const set = (text: string, key: string, value: string, stage?: string): string => {
    const syntax = parse(text, { size: 1e6, faults: 100 });
    const pipeline = pipelineBody(syntax, 'p');
    const body = pipeline === undefined || stage === undefined ? pipeline : stageBody(pipeline, stage);
    const edit = body === undefined ? undefined : setKey(text, body, key, value);
    if (edit === undefined) throw new Error('no edit');
    const after = apply(text, [edit]);
    expect(parse(after, { size: 1e6, faults: 100 }).errors).toEqual([]);
    return after;
  };

  it('replaces the value that is there', () => {
    expect(set('pipeline p { recompute = none /* why */ }', 'recompute', 'full')).toBe(
      'pipeline p { recompute = full /* why */ }',
    );
    expect(set('pipeline p {\n  stage a { layers = x, y[0..3] }\n}', 'layers', 'z', 'a')).toBe(
      'pipeline p {\n  stage a { layers = z }\n}',
    );
  });

  it('adds an entry in the layout of the block', () => {
    expect(set('pipeline p {\n    model = m // mine\n}\n', 'tensor', '2')).toBe(
      'pipeline p {\n    model = m // mine\n    tensor = 2\n}\n',
    );
    expect(set('pipeline p {\r\n  model = m\r\n}\r\n', 'tensor', '2')).toBe(
      'pipeline p {\r\n  model = m\r\n  tensor = 2\r\n}\r\n',
    );
    expect(set('pipeline p { model = m }', 'tensor', '2')).toBe('pipeline p { model = m  tensor = 2 }');
    expect(set('pipeline p {}', 'tensor', '2')).toBe('pipeline p { tensor = 2 }');
    expect(
      set('pipeline p {\n  stage a { layers = x }\n  stage b {\n    layers = y\n  }\n}', 'recompute', 'full', 'b'),
    ).toBe('pipeline p {\n  stage a { layers = x }\n  stage b {\n    layers = y\n    recompute = full\n  }\n}');
  });
});
