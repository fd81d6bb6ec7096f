import { readFileSync } from 'node:fs';
import path from 'node:path';

const folder = process.env['PIPEWRIGHT_DATA'] ?? path.resolve(import.meta.dirname, '../../data');

/** Text of a file of `test/data` (or of the folder that `PIPEWRIGHT_DATA` names). */
export const dataFile = (name: string): string => readFileSync(path.join(folder, name), 'utf8');
