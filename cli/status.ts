/** Exit status of the command line: the same three for every command. */
export const status = { fine: 0, findings: 1, usage: 2 } as const;
export type Status = (typeof status)[keyof typeof status];
