import { findUnit } from '../../engine/language/units.ts';
import type { Shard } from '../../engine/sweep/sweep.ts';
import type { Arguments } from '../arguments.ts';

/** `--time 30s` in milliseconds, a sentence that says what is wrong, or undefined where it is not given. */
export function readTime(args: Arguments): number | string | undefined {
  const text = args.value('time');
  if (text === undefined) return undefined;
  const [, number, suffix] = /^\s*(\d+(?:\.\d+)?)\s*([A-Za-zµ]*)\s*$/u.exec(text) ?? [];
  const unit = suffix === '' ? { dimension: 'time', scale: 1 } : findUnit(suffix ?? '');
  if (number === undefined || unit?.dimension !== 'time' || !(Number(number) > 0))
    return `--time takes a time such as 30s or 5min, not "${text}".`;
  return Number(number) * unit.scale * 1_000;
}

/** `--shard 3/64`: a sentence if it is no part, undefined if it is not given. */
export function readShard(args: Arguments): Shard | string | undefined {
  const text = args.value('shard');
  if (text === undefined) return undefined;
  const [, index, of] = /^\s*(\d{1,9})\/(\d{1,9})\s*$/u.exec(text) ?? [];
  const shard = { index: Number(index), of: Number(of) };
  return index !== undefined && shard.index >= 1 && shard.index <= shard.of
    ? shard
    : `--shard takes a part and the number of parts, counted from 1, such as 3/64, not "${text}".`;
}

/** `--threads 4`: at least 1; a sentence if it is none, undefined if it is not given. */
export function readThreads(args: Arguments): number | string | undefined {
  const text = args.value('threads');
  if (text === undefined) return undefined;
  return /^[1-9]\d{0,2}$/u.test(text) ? Number(text) : `--threads takes a whole number from 1 to 999, not "${text}".`;
}
