/**
 * Converts an ISO 8601 time to milliseconds since the epoch. Returns NaN for other texts, and for a day that doesn't
 * exist, such as 30 February, which `Date.parse` takes for 2 March.
 */
export function isoTimeMs(text: string): number {
  const date = text.slice(0, 10)
  const midnight = new Date(date)
  const exists = !Number.isNaN(midnight.getTime()) && midnight.toISOString().slice(0, 10) === date
  return exists ? Date.parse(text) : Number.NaN
}
