const units = [
  { name: 'day', ms: 86_400_000 },
  { name: 'hour', ms: 3_600_000 },
  { name: 'minute', ms: 60_000 },
] as const

/** A length of time by its two largest units: `3 days 4 hours`. Under a minute it is just that. */
export function durationInWords(ms: number): string {
  const largest = units.findIndex((unit) => ms >= unit.ms)
  if (largest === -1) return 'Less than a minute'
  const words: string[] = []
  let rest = ms
  for (const unit of units.slice(largest, largest + 2)) {
    const count = Math.floor(rest / unit.ms)
    rest -= count * unit.ms
    if (count > 0) words.push(`${count} ${unit.name}${count === 1 ? '' : 's'}`)
  }
  return words.join(' ')
}
