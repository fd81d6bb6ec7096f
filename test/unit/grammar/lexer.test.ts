import { describe, expect, it } from 'vitest';
import { parse } from '../../../grammar/index.ts';

const kinds = (text: string): string =>
  parse(text)
    .tokens.map((token) => `${token.kind[0]}:${token.text}`)
    .join(' ');

describe('tokens', () => {
  it.each([
    ['1f1b zb_h1 _x a1', 'n:1f1b n:zb_h1 n:_x n:a1'],
    ['4ms 1f 2e 1e3 1e3s 1e-3s 1e+2', 'q:4ms q:1f q:2e q:1e3 q:1e3s q:1e-3s q:1e+2'],
    ['25GB/s 300/s 300 / s 300/stages 25GB/sec', 'q:25GB/s q:300/s q:300 p:/ n:s q:300 p:/ n:stages q:25GB p:/ n:sec'],
    ['40% 4µs 4μs', 'q:40% q:4µs q:4μs'],
    ['0..10 0..<10 1.5..2.5', 'q:0 p:.. q:10 q:0 p:..< q:10 q:1.5 p:.. q:2.5'],
    ['4ms_ 12_ 4m5s', 'n:4ms_ n:12_ n:4m5s'],
    ['1.5.2 4%x 4µs1', 'e:1.5.2 e:4%x e:4µs1'],
    ['"a" "b\\"c" "" "open', 's:"a" s:"b\\"c" s:"" e:"open'],
    ['a--b a-b - -', 'n:a p:-- n:b n:a p:- n:b p:- p:-'],
    ['<= < >= > == != = !', 'p:<= p:< p:>= p:> p:== p:!= p:= e:!'],
    ['@@é😀 .x', 'e:@@é😀 e:. n:x'],
    ['{}[](),;+*/', 'p:{ p:} p:[ p:] p:( p:) p:, p:; p:+ p:* p:/'],
    ['importx import in inn', 'n:importx n:import n:in n:inn'],
  ])('%j', (text, expected) => expect(kinds(text)).toBe(expected));

  it('keeps comments apart', () => {
    const { comments, tokens } = parse('// a\n/// b\n//// c\n/* d\n */ /**/ x // y');
    expect(comments.map(({ kind, text }) => `${kind} ${text}`)).toEqual([
      'line // a',
      'doc /// b',
      'line //// c',
      'block /* d\n */',
      'block /**/',
      'line // y',
    ]);
    expect(tokens).toHaveLength(1);
  });
});
