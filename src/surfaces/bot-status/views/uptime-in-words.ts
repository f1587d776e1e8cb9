import { type StatusFigures, uptimeShare } from '../../../domain/bots/status-span.ts'

/** The share of the time that the bot was online, rounded down: only what was never interrupted is `100 %`. */
export function uptimeInWords(spans: readonly StatusFigures[]): string {
  const share = uptimeShare(spans)
  return share === null ? 'No figure yet' : `${percent(share)} online`
}

export function percent(share: number): string {
  if (share === 1) return '100 %'
  return `${(Math.floor(share * 10_000) / 100).toFixed(2)} %`
}
