import type { Job } from './job.ts';
import { shellWord } from './shellWord.ts';

/**
 * Rules of make. No text of the call is a name of a target, which make could not quote. In a recipe, make reads `$`, and a line feed
 * ends the command: the shell makes it.
 */
export function makeJob({ options, operands, merge, parts, threads = 1 }: Job): string {
  const recipe = (...words: readonly string[]): string => {
    const hasLineFeed = words.some((word) => word.includes('\n'));
    const command = `$(PIPEWRIGHT) ${words.map((word) => (word === partNumber ? word : makeWord(word))).join(' ')}`;
    return `${hasLineFeed ? lineFeed : ''}${command}`;
  };
  const numbers = Array.from({ length: parts }, (_, at) => at + 1).join(' ');
  return `# Start it with make -j and the number of parts that run at a time. Start it again to go on with parts that were stopped.
# PIPEWRIGHT: how to start Pipewright, if it is not on the path.
PIPEWRIGHT ?= pipewright
PARTS := $(addprefix part-,${numbers})

.PHONY: front $(PARTS)

front: $(PARTS)
	@${recipe('plan', ...merge)}

$(PARTS): part-%:
	@${recipe('plan', ...options, `--threads=${threads}`, partNumber, '--', ...operands)} > /dev/null
`.replaceAll(partNumber, `--shard=$*/${parts}`);
}

/** Stands for the option with the number of the part, which make fills in. No argument holds this character. */
const partNumber = '\0';

const lineFeed = `lf=$$(printf '\\n.'); lf=$\${lf%.}; `;

const makeWord = (text: string): string =>
  text
    .split('\n')
    .map((line) => shellWord(line).replaceAll('$', '$$$$'))
    .join('"$$lf"');
