import { URI } from 'vscode-uri';

/** The same uri in one spelling: clients differ in what they escape. */
export function normal(uri: string): string {
  try {
    return URI.parse(uri).toString();
  } catch {
    return uri;
  }
}
