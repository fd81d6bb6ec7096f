/** What each row of the catalogue of findings has. */

export type Severity = 'error' | 'warning' | 'information' | 'hint';

export interface Entry<P, S extends Severity> {
  /** The usual one first; others only where the code that reports it says so. */
  readonly severities: readonly [S, ...(readonly S[])];
  /** One line for lists of codes. */
  readonly summary: string;
  readonly message: (parameters: P) => string;
}
/** A row of the catalogue. */
export const entry = <P, S extends Severity>(
  severity: S | readonly [S, ...(readonly S[])],
  summary: string,
  message: (p: P) => string,
): Entry<P, S> => ({
  severities: isSeveral(severity) ? severity : [severity],
  summary,
  message,
});
const isSeveral = <S extends Severity>(
  severity: S | readonly [S, ...(readonly S[])],
): severity is readonly [S, ...(readonly S[])] => typeof severity !== 'string';
