import * as limits from '../../limits/limits.ts'

/** Milliseconds. The rest of the period is unknown. */
export interface StatusFigures {
  upMs: number
  /** Time during which hosting was on but the bot wasn't online. */
  downMs: number
  hostingOffMs: number
}

export interface StatusSpan extends StatusFigures {
  startMs: number
  /** In the future if the span is still in progress. */
  endMs: number
}

/** Consecutive units (slots or days, numbered from the epoch) with the same figures. */
export interface StatusRun {
  from: number
  /** First unit after the run. */
  until: number
  figures: StatusFigures
}

const slotsPerDay = limits.statusDayMs / limits.statusSlotMs
const slotsPerHour = slotsPerDay / 24

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
 * Adds the figures of one unit (a slot or a day) to a bot's history. Returns the new and changed runs, in order. A unit
 * after the last run extends that run or starts a new one. The last one of the run is merged with the stored figures.
 * An older unit is ignored.
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

function followed(last: StatusRun | undefined, unit: number, figures: StatusFigures, unitMs: number): StatusRun {
  // A unit with unknown time may still get more figures.
  const continued = last?.until === unit && knownMs(figures) === unitMs && sameFigures(last.figures, figures)
  return continued ? { ...last, until: unit + 1 } : { from: unit, until: unit + 1, figures }
}

/**
 * If two measurements of the same unit fit into it together, they cover different times: before and after a restart.
 * Otherwise, two nodes measured the same time, and the bot counts as up if either node saw it up.
 */
function together(one: StatusFigures, other: StatusFigures, unitMs: number): StatusFigures {
  if (knownMs(one) + knownMs(other) <= unitMs) return plus(one, other)
  // A write is being retried although it succeeded the first time.
  if (sameFigures(one, other)) return one
  const upMs = Math.min(unitMs, one.upMs + other.upMs)
  const hostingOffMs = Math.min(unitMs - upMs, Math.max(one.hostingOffMs, other.hostingOffMs))
  const known = Math.max(knownMs(one), knownMs(other))
  return { upMs, downMs: Math.max(0, known - upMs - hostingOffMs), hostingOffMs }
}

export function dayOfSlots(runs: readonly StatusRun[], day: number): StatusFigures {
  return sumOf(runs, day * slotsPerDay, slotsPerDay)
}

/** Returns the days to store for a bot's slots, from its last stored day until yesterday. */
export function newDays(slots: readonly StatusRun[], lastDay: StatusRun | undefined, today: number): StatusRun[] {
  const days: StatusRun[] = []
  const firstDay = Math.floor((slots[0]?.from ?? 0) / slotsPerDay)
  for (let day = Math.max(firstDay, lastDay?.until ?? 0); day < today; day += 1) {
    const figures = dayOfSlots(slots, day)
    if (knownMs(figures) > 0) days.push(followed(days.at(-1) ?? lastDay, day, figures, limits.statusDayMs))
  }
  return days
}

/** Returns the `count` hours that end with the one of the last slot, oldest first. */
export function hoursOfSlots(runs: readonly StatusRun[], lastSlot: number, count: number): StatusFigures[] {
  const first = Math.floor(lastSlot / slotsPerHour) + 1 - count
  return Array.from({ length: count }, (_, hour) => sumOf(runs, (first + hour) * slotsPerHour, slotsPerHour))
}

function sumOf(runs: readonly StatusRun[], first: number, units: number): StatusFigures {
  return runs.reduce((sum, { from, until, figures }) => {
    const inside = Math.min(until, first + units) - Math.max(from, first)
    return inside > 0 ? plus(sum, figures, inside) : sum
  }, nothingKnown())
}

export function spansOf(runs: readonly StatusRun[], from: number, until: number, unitMs: number): StatusSpan[] {
  return Array.from({ length: until - from }, (_, index) => {
    const unit = from + index
    const run = runs.find((run) => run.from <= unit && unit < run.until)
    return { startMs: unit * unitMs, endMs: (unit + 1) * unitMs, ...(run?.figures ?? nothingKnown()) }
  })
}

/** Returns the uptime from 0 to 1, ignoring unknown time and time with hosting off. `null` if no time remains. */
export function uptimeShare(spans: readonly StatusFigures[]): number | null {
  const { upMs, downMs } = spans.reduce<StatusFigures>((sum, span) => plus(sum, span), nothingKnown())
  return upMs + downMs === 0 ? null : upMs / (upMs + downMs)
}
