import { statusDayMs, statusSlotMs } from '../../limits/limits.ts'

/** How a bot was over a stretch of time, in milliseconds. What the three leave of the stretch is not known. */
export interface StatusFigures {
  /** Its status was `online`. */
  upMs: number
  /** Hosting was on, and it was not. */
  downMs: number
  hostingOffMs: number
}

/** A slot of five minutes, or a day (UTC), with what is known of it. */
export interface StatusSpan extends StatusFigures {
  startMs: number
  /** In the future for the span that is not over yet. */
  endMs: number
}

/** Units (slots or days, counted from the epoch) one after the other that have the same figures, each of them. */
export interface StatusRun {
  from: number
  /** The first unit that is not of the run. */
  until: number
  figures: StatusFigures
}

const slotsPerDay = statusDayMs / statusSlotMs

export function slotAt(nowMs: number): number {
  return Math.floor(nowMs / statusSlotMs)
}

export function dayAt(nowMs: number): number {
  return Math.floor(nowMs / statusDayMs)
}

export function nothingKnown(): StatusFigures {
  return { upMs: 0, downMs: 0, hostingOffMs: 0 }
}

export function knownMs({ upMs, downMs, hostingOffMs }: StatusFigures): number {
  return upMs + downMs + hostingOffMs
}

export function sameFigures(one: StatusFigures, other: StatusFigures): boolean {
  return one.upMs === other.upMs && one.downMs === other.downMs && one.hostingOffMs === other.hostingOffMs
}

export function plus(one: StatusFigures, other: StatusFigures, times = 1): StatusFigures {
  return {
    upMs: one.upMs + times * other.upMs,
    downMs: one.downMs + times * other.downMs,
    hostingOffMs: one.hostingOffMs + times * other.hostingOffMs,
  }
}

/**
 * A bot's last run with one more unit that was measured: the runs that are new or other than before, in order. A unit
 * before the last one stays as it is.
 */
export function withUnit(
  last: StatusRun | undefined,
  unit: number,
  measured: StatusFigures,
  unitMs: number,
): StatusRun[] {
  if (last === undefined || last.until <= unit) return [followed(last, unit, measured, unitMs)]
  if (last.until > unit + 1) return []
  const figures = together(last.figures, measured, unitMs)
  if (sameFigures(figures, last.figures)) return []
  const alone = { from: unit, until: unit + 1, figures }
  return last.from === unit ? [alone] : [{ ...last, until: unit }, alone]
}

/** A unit after the bot's last run, or that run one unit longer. */
export function followed(last: StatusRun | undefined, unit: number, figures: StatusFigures, unitMs: number): StatusRun {
  // What is not whole may yet be added to, so it stays by itself.
  const continued = last?.until === unit && knownMs(figures) === unitMs && sameFigures(last.figures, figures)
  return continued ? { ...last, until: unit + 1 } : { from: unit, until: unit + 1, figures }
}

/**
 * What was measured of one unit in two goes. With room for both they are of different times, before and after a
 * restart. Without, two nodes measured the same time, and a bot that was up at one of them was up.
 */
function together(one: StatusFigures, other: StatusFigures, unitMs: number): StatusFigures {
  if (knownMs(one) + knownMs(other) <= unitMs) return plus(one, other)
  // The same once more: what was stored already and is tried again.
  if (sameFigures(one, other)) return one
  const upMs = Math.min(unitMs, one.upMs + other.upMs)
  const hostingOffMs = Math.min(unitMs - upMs, Math.max(one.hostingOffMs, other.hostingOffMs))
  const known = Math.max(knownMs(one), knownMs(other))
  return { upMs, downMs: Math.max(0, known - upMs - hostingOffMs), hostingOffMs }
}

/** The figures of the day, added up from its slots. */
export function dayOfSlots(runs: readonly StatusRun[], day: number): StatusFigures {
  const first = day * slotsPerDay
  return runs.reduce((sum, { from, until, figures }) => {
    const slots = Math.min(until, first + slotsPerDay) - Math.max(from, first)
    return slots > 0 ? plus(sum, figures, slots) : sum
  }, nothingKnown())
}

/** The units from `from` on, one span each. */
export function spansOf(runs: readonly StatusRun[], from: number, until: number, unitMs: number): StatusSpan[] {
  return Array.from({ length: until - from }, (_, index) => {
    const unit = from + index
    const run = runs.find((run) => run.from <= unit && unit < run.until)
    return { startMs: unit * unitMs, endMs: (unit + 1) * unitMs, ...(run?.figures ?? nothingKnown()) }
  })
}

/**
 * The share of the time in which the bot was up, of the time in which it was to be: what is not known and what
 * hosting was off counts for nothing. From 0 to 1; null when it was never to be up.
 */
export function uptimeShare(spans: readonly StatusFigures[]): number | null {
  const { upMs, downMs } = spans.reduce<StatusFigures>((sum, span) => plus(sum, span), nothingKnown())
  return upMs + downMs === 0 ? null : upMs / (upMs + downMs)
}
