/** Published schedules that are no policies: their orders are texts of the examples. */

export interface TextSchedule {
  /** Page of `docs/schedules/`, without its ending. */
  readonly page: string;
  /** File of `examples/schedules/` that declares them, without its ending. */
  readonly example: string;
  /** Names of the schedules in that file. */
  readonly declares: readonly string[];
}

const ofPage = (page: string, declares: readonly string[] = [page]): readonly [string, TextSchedule] => [
  page,
  { page, example: page, declares },
];

/** By the name that a user would write. */
export const textSchedules: ReadonlyMap<string, TextSchedule> = new Map([
  ofPage('bamboo'),
  ofPage('bitpipe'),
  ofPage('mario', ['mario', 'mario_x', 'mario_w']),
  ofPage('pipeoffload', ['uniform', 'grouped']),
  ofPage('slimpipe'),
  ofPage('varuna'),
  ofPage('weipipe'),
]);

/** How to use one of them in a file that has none of its names. */
export function textAdvice(name: string): string | undefined {
  const found = textSchedules.get(name.toLowerCase());
  if (found === undefined) return undefined;
  const { page, example, declares } = found;
  const file = `${example}.pipe`;
  return (
    `It is a schedule in text: copy examples/schedules/${file} next to this file and write ` +
    `\`import { ${declares.join(', ')} } from "${file}"\`. See docs/schedules/${page}.md.`
  );
}
