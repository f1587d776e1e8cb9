import { invalidBody } from './problem.ts'

/**
 * Converts a time in a body to milliseconds since the epoch.
 *
 * @param pointer JSON pointer to the member.
 * @throws Problem 400 if the date or time does not exist, such as 30 February.
 */
export function instantOf(text: string, pointer: string): number {
  const atMs = Date.parse(text)
  if (Number.isNaN(atMs)) throw invalidBody([{ pointer, detail: 'This date or time does not exist.' }])
  return atMs
}

export function iso(ms: number): string {
  return new Date(ms).toISOString()
}

export function isoOrNull(ms: number | null | undefined): string | null {
  return ms === null || ms === undefined ? null : iso(ms)
}
