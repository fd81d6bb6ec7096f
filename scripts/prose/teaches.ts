/** Pages for people who do not know the project yet: their sentences and tables are shorter. */
export const teaches = (file: string): boolean => /^docs\/(?:learn|do)\//u.test(file);
