/** What the test of a schedule has to report: the first shape that fails, with what is wrong with it. */
import type { ScheduleTest, TestedShape } from '../definitions/scheduleTest.ts';
import { type Finding, finding } from '../findings/finding.ts';
import type { Place } from '../values/plan.ts';
import { count } from '../basics/quantities.ts';
import { trivial } from './separate.ts';
import type { ShapeVerdict, TestAnswer, TestFailure, Verdict } from './testSearch.ts';

/** A test with its answer; `place` is the name of the schedule in the `expect` block. */
export interface TestedSchedule {
  readonly test: ScheduleTest;
  readonly place: Place;
  readonly answer: TestAnswer;
}

/** `p = 3, m = 2, chunks = 2`. */
export const shapeText = ({ devices, microbatches, args }: TestedShape): string =>
  [`p = ${devices}`, `m = ${microbatches}`, ...Object.entries(args).map(([name, value]) => `${name} = ${value}`)].join(
    ', ',
  );

/** Shapes with a verdict. */
export const shapesWith = ({ verdicts }: TestAnswer, verdict: Verdict): readonly ShapeVerdict[] =>
  verdicts.filter((shape) => shape.verdict === verdict);

/** `64 shapes: 56 pass, 8 are refused by the schedule`. */
export function testedShapes(answer: TestAnswer): string {
  const { verdicts, compared } = answer;
  const [passed, failed, refused] = (['passed', 'failed', 'refused'] as const).map(
    (verdict) => shapesWith(answer, verdict).length,
  );
  const parts = [
    passed === verdicts.length && passed > 1 ? 'all pass' : `${figure(passed)} pass`,
    ...(failed === 0 ? [] : [`${figure(failed)} fail`]),
    ...(refused === 0 ? [] : [refusedText(refused, answer)]),
    ...(compared === undefined ? [] : [`${figure(compared)} compared with a built-in order`]),
  ];
  return `${count(verdicts.length, 'shape', 'shapes')}: ${parts.join(', ')}`;
}

const figure = (number: number): string => number.toLocaleString('en-US');

const refusedText = (refused: number, answer: TestAnswer): string =>
  `${figure(refused)} ${refused === 1 ? 'is' : 'are'} refused by the schedule${refusalText(answer)}`;

/** ` (p = 3, m = 1: it requires mod(devices, 2) == 0)`: the first shape that is refused. */
const refusalText = ({ refusal }: TestAnswer): string =>
  refusal === undefined ? '' : ` (${shapeText(refusal.shape)}: ${refusal.problem})`;

export function testFindings({ test, place, answer }: TestedSchedule): readonly Finding[] {
  const { first, verdicts, stopped } = answer;
  const found: Finding[] = [];
  if (stopped !== undefined) found.push(finding('limit/too-large', place, stopped));
  const failed = shapesWith(answer, 'failed');
  const refused = shapesWith(answer, 'refused');
  if (first !== undefined) {
    const { code, severity, message, at, related, parameters, shape } = first;
    const which = failed.length === 1 ? 'the only one' : `the first of ${failed.length}`;
    const fail = failed.length === 1 ? 'that fails' : 'that fail';
    const tested = count(verdicts.length - refused.length, 'shape', 'shapes');
    const of =
      refused.length === 0 ? `${which} of ${tested} ${fail}` : `${which} ${fail}, of ${tested} that the schedule takes`;
    const rest = code === 'limit/too-large' ? 'The test ends here.' : `This is ${of}.${advice(answer, failed)}`;
    const [source, ...others] = related;
    // The row at fault, if it is written in this file.
    const isHere = source?.place.uri === place.uri;
    found.push({
      code,
      severity,
      message: `${shapeText(shape)}: ${sentence(message)} ${rest}`,
      place: source !== undefined && isHere ? source.place : at,
      related: isHere ? [{ place: at, message: 'This test fails.' }, ...others] : related,
      hint: { kind: 'condition', schedule: test.name },
      ...(parameters === undefined ? {} : { parameters }),
    });
  } else if (refused.length === verdicts.length && verdicts.length > 0)
    found.push(
      finding('expect/failed', place, {
        text: `a shape that schedule "${test.name}" takes`,
        figure: `none of ${count(verdicts.length, 'shape', 'shapes')}${refusalText(answer)}`,
      }),
    );
  if (answer.warned !== undefined) {
    const { shape, finding: warning } = answer.warned;
    const message = `${shapeText(shape)}: ${warning.message}`;
    const related = [{ place: warning.place, message: 'This expression, with these numbers.' }];
    // A range of this file is changed where it is written.
    const isWrittenHere = warning.code === 'value/backwards' && warning.place.uri === place.uri;
    found.push(isWrittenHere ? { ...warning, message } : { ...warning, place, related, message });
  }
  return found;
}

/** Whether a schedule runs and only what is said of it is wrong. A schedule that refuses such shapes would hide that. */
export const isClaim = ({ code }: TestFailure): boolean => code === 'expect/failed';

const mostShown = 4;
const oneOf = { devices: 'device', microbatches: 'microbatch' };

/** Which condition would refuse the shapes that fail; if there is none, which they are. */
function advice(answer: TestAnswer, failed: readonly ShapeVerdict[]): string {
  const { conditions, first } = answer;
  const refuses = failed.length === 1 ? 'it' : 'exactly these';
  if (conditions !== undefined && first !== undefined) {
    const told = conditions.map((text) => `\`${isClaim(first) ? '' : 'require '}${text}\``).join(' and ');
    return isClaim(first) ? ` Of the shapes tested, it holds where ${told}.` : ` ${told} would refuse ${refuses}.`;
  }
  const passed = shapesWith(answer, 'passed');
  if (failed.length === 1 || passed.length === 0) return '';
  for (const number of ['devices', 'microbatches'] as const)
    if (passed.every(trivial[number]) && !failed.every(trivial[number]))
      return ` Only shapes with one ${oneOf[number]} pass.`;
  const more = failed.length > mostShown ? `; and ${count(failed.length - mostShown, 'more', 'more')}` : '';
  const shown = failed.slice(0, mostShown).map(shapeText).join('; ');
  return ` No simple condition tells them from the others: ${shown}${more}.`;
}

const sentence = (text: string): string => (text.endsWith('.') ? text : `${text}.`);
