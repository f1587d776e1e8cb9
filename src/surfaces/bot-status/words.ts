import type { BotState } from '../../domain/bots/status/bot-status.ts'
import type { Presence } from '../../domain/bots/status/snapshots.ts'
import type { Incident } from '../../domain/bots/status/status-board.ts'
import type { StatusFigures, StatusSpan } from '../../domain/bots/status/status-span.ts'
import type { Tone } from '../../pages/components/elements.ts'
import { dayAndMonth, durationInSentence, percentWords } from '../../pages/components/figures.ts'
import type { IconName } from '../../pages/components/pictures.ts'
import { t, type Words } from '../../pages/html.ts'

interface StateWords {
  tone: Tone
  icon: IconName
  word: Words
  /** The state as used after the bot's name, as in “Robo is online”. */
  inSentence: Words
  meaning: Words
}

export const stateWords: Readonly<Record<BotState, StateWords>> = {
  online: {
    tone: 'good',
    icon: 'check',
    word: t`Online`,
    inSentence: t`online`,
    meaning: t`Connected to the chat platform.`,
  },
  connecting: {
    tone: 'warn',
    icon: 'warning',
    word: t`Connecting`,
    inSentence: t`connecting`,
    meaning: t`Running, but not connected to the chat platform yet.`,
  },
  offline: {
    tone: 'bad',
    icon: 'cross',
    word: t`Offline`,
    inSentence: t`offline`,
    meaning: t`Hosting is on, but the bot isn’t running.`,
  },
  'hosting-off': {
    tone: 'neutral',
    icon: 'dash',
    word: t`Hosting off`,
    inSentence: t`hosting off`,
    meaning: t`The owner turned hosting off.`,
  },
}

export const hourAndMinute = (ms: number): string => new Date(ms).toISOString().slice(11, 16)

export function barWords({ upMs, downMs, hostingOffMs }: StatusFigures): Words {
  if (downMs > 0) return t`${percentWords(upMs / (upMs + downMs))} online, down for ${durationInSentence(downMs)}`
  if (upMs > 0) return hostingOffMs > 0 ? t`online, hosting off for ${durationInSentence(hostingOffMs)}` : t`online`
  return hostingOffMs > 0 ? t`hosting off` : t`unknown`
}

export const presenceWords: Readonly<Record<Presence, Words>> = {
  online: t`Online`,
  idle: t`Idle`,
  dnd: t`Do not disturb`,
  invisible: t`Invisible`,
}

export const periodWords = {
  quarter: ({ startMs, endMs }: StatusSpan): Words => t`${dateAndTime(startMs)} to ${hourAndMinute(endMs)}`,
  days: ({ startMs, endMs }: StatusSpan): Words =>
    dayOf(startMs) === dayOf(endMs - 1)
      ? dayAndMonth(startMs)
      : t`${dayAndMonth(startMs)} to ${dayAndMonth(endMs - 1)}`,
}

function lengthOf({ beganAtMs, endedAtMs }: Incident, nowMs: number): Words {
  return durationInSentence(Math.max(0, (endedAtMs ?? nowMs) - beganAtMs))
}

function dateAndTime(ms: number): Words {
  return t`${dayAndMonth(ms)}, ${hourAndMinute(ms)}`
}

function dayOf(ms: number): number {
  return Math.floor(ms / 86_400_000)
}

/** Text for incidents, on the status page and in its feed. All times are UTC. */
export const incidentWords = {
  /** For example “Down for 12 minutes”. */
  length: (incident: Incident, nowMs: number): Words => t`Down for ${lengthOf(incident, nowMs)}`,
  /** For example “5 January, 13:05 to 13:17”. */
  period({ beganAtMs, endedAtMs, isHostingOff }: Incident): Words {
    const from = dateAndTime(beganAtMs)
    if (endedAtMs === null) return t`Since ${from}`
    const to = dayOf(beganAtMs) === dayOf(endedAtMs) ? hourAndMinute(endedAtMs) : dateAndTime(endedAtMs)
    return isHostingOff ? t`${from} to ${to}, then hosting off` : t`${from} to ${to}`
  },
  /** Shown at the top of the status page, after the explanation of the state. */
  downFor: (incident: Incident, nowMs: number): Words => t`Down for ${lengthOf(incident, nowMs)}.`,
  inFeed(name: string, incident: Incident): Words {
    if (incident.endedAtMs === null) return t`${name} is down`
    return t`${name} was down for ${lengthOf(incident, incident.endedAtMs)}`
  },
}
