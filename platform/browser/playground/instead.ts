/** What the page of the preview asks for and an editor does otherwise than the playground. */
import type { FromPage } from '../../../webview/protocol/messages.ts';

export interface InsteadHost {
  say(message: string): void;
  /** Copies a link to the text. */
  share(): void;
}

const runs = 'The playground reads no recorded runs: use the editor extension, or `pipewright compare`.';

/** True where nothing is left to do for anybody else. */
export const instead =
  ({ say, share }: InsteadHost) =>
  ({ type }: FromPage): boolean => {
    switch (type) {
      case 'copyLink':
        share();
        return true;
      case 'chooseRun':
      case 'calibrate':
        say(runs);
        return true;
      case 'openGuide':
        say('The guide is in the documentation, at docs/language.md.');
        return true;
      default:
        return false;
    }
  };
