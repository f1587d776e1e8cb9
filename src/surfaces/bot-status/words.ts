import type { HostingLocation } from '../../domain/bots/bot.ts'
import type { BotState } from '../../domain/bots/status/bot-status.ts'
import type { Incident } from '../../domain/bots/status/incidents.ts'
import type { Presence } from '../../domain/bots/status/snapshots.ts'
import type { StatusFigures } from '../../domain/bots/status/status-span.ts'
import type { IconName } from '../../pages/components/icon.ts'
import type { Tone } from '../../pages/components/notice.ts'
import { html, type Text, type Words, words } from '../../pages/html.ts'
import { dayAndMonth, decimalWords, durationInSentence } from '../../pages/words/figures.ts'

interface StateWords {
  tone: Tone
  icon: IconName
  word: Words
  /** The state as used after the bot's name, as in “Robo is online”. */
  inSentence: Words
  meaning: Words
}

/** A bot's public states, on the status page and on its preview image. */
export const stateWords: Readonly<Record<BotState, StateWords>> = {
  online: {
    tone: 'good',
    icon: 'check',
    word: words({ en: 'Online', de: 'Online' }),
    inSentence: words({ en: 'online', de: 'online' }),
    meaning: words({ en: 'Connected to the chat platform.', de: 'Mit der Chat-Plattform verbunden.' }),
  },
  connecting: {
    tone: 'warn',
    icon: 'warning',
    word: words({ en: 'Connecting', de: 'Verbindet sich' }),
    inSentence: words({ en: 'connecting', de: 'verbindet sich' }),
    meaning: words({
      en: 'Running, but not connected to the chat platform yet.',
      de: 'Der Bot läuft, ist aber noch nicht mit der Chat-Plattform verbunden.',
    }),
  },
  offline: {
    tone: 'bad',
    icon: 'cross',
    word: words({ en: 'Offline', de: 'Offline' }),
    inSentence: words({ en: 'offline', de: 'offline' }),
    meaning: words({
      en: 'Hosting is on, but the bot isn’t running.',
      de: 'Das Hosting ist aktiviert, aber der Bot läuft nicht.',
    }),
  },
  'hosting-off': {
    tone: 'neutral',
    icon: 'dash',
    word: words({ en: 'Hosting off', de: 'Hosting inaktiv' }),
    inSentence: words({ en: 'hosting off', de: 'Hosting inaktiv' }),
    meaning: words({ en: 'The owner turned hosting off.', de: 'Der Eigentümer hat das Hosting deaktiviert.' }),
  },
}

/** Formats a time of day in UTC. */
export const hourAndMinute = (ms: number): string => new Date(ms).toISOString().slice(11, 16)

/** Formats a share as a percentage, rounded down, so that even a short interruption gives less than `100 %`. */
function share(of: number): { en: string; de: string } {
  return of === 1 ? { en: '100 %', de: '100 %' } : decimalWords(`${(Math.floor(of * 10_000) / 100).toFixed(2)} %`)
}

function onlineFor(of: number): Words {
  const { en, de } = share(of)
  return words({ en: `${en} online`, de: `${de} online` })
}

function barWords({ upMs, downMs, hostingOffMs }: StatusFigures): { en: string; de: string } {
  const [down, off] = [durationInSentence(downMs), durationInSentence(hostingOffMs)]
  if (downMs > 0) {
    const { en, de } = share(upMs / (upMs + downMs))
    return { en: `${en} online, down for ${down.en}`, de: `${de} online, Ausfall: ${down.de}` }
  }
  if (upMs > 0) {
    return hostingOffMs > 0
      ? { en: `online, hosting off for ${off.en}`, de: `online, Hosting inaktiv: ${off.de}` }
      : { en: 'online', de: 'online' }
  }
  return hostingOffMs > 0 ? { en: 'hosting off', de: 'Hosting inaktiv' } : { en: 'unknown', de: 'unbekannt' }
}

function stretch({ en, de }: { en: string; de: string }) {
  return {
    title: words({ en, de }),
    withFigure: (figure: Text): Words => words({ en: html`${en}: ${figure}`, de: html`${de}: ${figure}` }),
    notOnline: words({
      en: `${en}: downtime and times with hosting off`,
      de: `${de}: Ausfälle und deaktiviertes Hosting`,
    }),
  }
}

/** Text for the status page, in the order of its parts, and for its error pages. */
export const botStatusWords = {
  title: (name: string, is: Words): Words => words({ en: html`${name}: ${is}`, de: html`${name}: ${is}` }),
  notice: {
    title: words({ en: 'Notice from the owner', de: 'Mitteilung des Eigentümers' }),
    set: (when: Text): Words => words({ en: html`Published ${when}`, de: html`Veröffentlicht ${when}` }),
  },
  facts: {
    current: words({ en: 'Current values', de: 'Aktuelle Werte' }),
    lastKnown: words({ en: 'Last known values', de: 'Zuletzt bekannte Werte' }),
    presence: words({ en: 'Presence', de: 'Präsenz' }),
    presences: {
      online: words({ en: 'Online', de: 'Online' }),
      idle: words({ en: 'Idle', de: 'Abwesend' }),
      dnd: words({ en: 'Do not disturb', de: 'Bitte nicht stören' }),
      invisible: words({ en: 'Invisible', de: 'Unsichtbar' }),
    } satisfies Record<Presence, Words>,
    uptime: words({ en: 'Uptime', de: 'Betriebszeit' }),
    servers: words({ en: 'Servers', de: 'Server' }),
    shards: words({ en: 'Shards', de: 'Shards' }),
    hosting: words({ en: 'Hosting', de: 'Hosting' }),
    locations: {
      local: words({ en: 'Local', de: 'Lokal' }),
      cloud: words({ en: 'Cloud', de: 'Cloud' }),
    } satisfies Record<HostingLocation, Words>,
    noLocation: words({ en: 'Not set', de: 'Nicht festgelegt' }),
    lastHeartbeat: words({ en: 'Last heartbeat', de: 'Letzter Heartbeat' }),
    never: words({ en: 'Never', de: 'Nie' }),
    chatPlatformId: words({ en: 'Chat-platform ID', de: 'ID auf der Chat-Plattform' }),
    notKnown: words({ en: 'Unknown', de: 'Unbekannt' }),
  },
  history: {
    day: {
      ...stretch({ en: 'Last 24 hours', de: 'Letzte 24 Stunden' }),
      from: words({ en: '24 hours ago', de: 'vor 24 Stunden' }),
      to: words({ en: 'Now', de: 'jetzt' }),
    },
    days: stretch({ en: 'Last 90 days', de: 'Letzte 90 Tage' }),
    brief: words({ en: 'Downtime under 15 minutes', de: 'Ausfall unter 15 Minuten' }),
    longer: words({ en: 'Longer downtime', de: 'Längerer Ausfall' }),
    /** @param online the share of time online, from 0 to 1. `null` if nothing is known about the period. */
    figure: (online: number | null): Words =>
      online === null ? words({ en: 'No data yet', de: 'Noch keine Daten' }) : onlineFor(online),
    quarter: ({ startMs, endMs }: { startMs: number; endMs: number }): Words => {
      const { en, de } = dayAndMonth(startMs)
      const [from, to] = [hourAndMinute(startMs), hourAndMinute(endMs)]
      return words({ en: `${en}, ${from} to ${to}`, de: `${de}, ${from} bis ${to}` })
    },
    inDays: ({ startMs, endMs }: { startMs: number; endMs: number }): Words => {
      const [first, last] = [dayAndMonth(startMs), dayAndMonth(endMs - 1)]
      return words(first.en === last.en ? first : { en: `${first.en} to ${last.en}`, de: `${first.de} bis ${last.de}` })
    },
    bar: (when: Words, figures: StatusFigures): Words => {
      const { en, de } = barWords(figures)
      return words({ en: html`${when}: ${en}`, de: html`${when}: ${de}` })
    },
    length: (ms: number): Words => words(ms === 0 ? { en: '–', de: '–' } : durationInSentence(ms)),
    when: words({ en: 'Period', de: 'Zeitraum' }),
    explain: words({
      en: 'Time without data or with hosting off isn’t counted. All times are UTC.',
      de: 'Zeiten ohne Daten oder mit deaktiviertem Hosting zählen nicht mit. Alle Zeitangaben in UTC.',
    }),
  },
  page: {
    asOf: (time: string): Words =>
      words({
        en: `As of ${time} UTC. Reload the page to update.`,
        de: `Stand: ${time} UTC. Zum Aktualisieren laden Sie die Seite neu.`,
      }),
    live: words({ en: 'Live: this page updates automatically.', de: 'Live: Die Seite wird automatisch aktualisiert.' }),
    lost: words({ en: 'Connection lost. Reconnecting…', de: 'Verbindung unterbrochen. Wird wiederhergestellt …' }),
    looked: words({ en: 'Updated every 15 seconds.', de: 'Wird alle 15 Sekunden aktualisiert.' }),
    jsonApi: (address: string): Words =>
      words({
        en: html`This status is also available <a href="${address}">as JSON</a>.`,
        de: html`Der Status ist auch <a href="${address}">als JSON</a> verfügbar.`,
      }),
  },
  preview: {
    description: (meaning: Words, of: number | null): Words => {
      if (of === null) return meaning
      const { en, de } = share(of)
      return words({
        en: html`${meaning} ${en} online over the last 90 days.`,
        de: html`${meaning} In den letzten 90 Tagen zu ${de} online.`,
      })
    },
    picture: (name: string, is: Words): Words => words({ en: html`${name} is ${is}`, de: html`${name}: ${is}` }),
  },
  tooMany: {
    what: words({ en: 'Too many requests', de: 'Zu viele Anfragen' }),
    why: words({
      en: 'Your network requested more than 60 status pages in a minute, or too many visitors are connected.',
      de: 'Aus Ihrem Netzwerk wurden in einer Minute mehr als 60 Statusseiten abgerufen. Möglicherweise sind auch zu viele Besucher verbunden.',
    }),
    whatToDo: (wait: { en: string; de: string }): Words =>
      words({ en: `Try again in ${wait.en}.`, de: `Versuchen Sie es in ${wait.de} erneut.` }),
  },
  nothingToSee: {
    what: words({ en: 'Status not found', de: 'Status nicht gefunden' }),
    why: words({
      en: 'No bot has this ID, or its status isn’t public.',
      de: 'Es gibt keinen Bot mit dieser ID oder sein Status ist nicht öffentlich.',
    }),
    whatToDo: words({
      en: 'Check the URL. If this is your bot, make its status public.',
      de: 'Prüfen Sie die URL. Gehört der Bot Ihnen, veröffentlichen Sie seinen Status.',
    }),
  },
}

/** The legend of the strip and the calendar, and the columns of their tables. */
export const stripWords = {
  online: words({ en: 'Online', de: 'Online' }),
  interrupted: words({ en: 'Downtime', de: 'Ausfälle' }),
  hostingOff: words({ en: 'Hosting off', de: 'Hosting inaktiv' }),
  notKnown: words({ en: 'Unknown', de: 'Unbekannt' }),
}

function lengthOf({ beganAtMs, endedAtMs }: Incident, nowMs: number): { en: string; de: string } {
  return durationInSentence(Math.max(0, (endedAtMs ?? nowMs) - beganAtMs))
}

function dateAndTime(ms: number): { en: string; de: string } {
  const { en, de } = dayAndMonth(ms)
  return { en: `${en}, ${hourAndMinute(ms)}`, de: `${de}, ${hourAndMinute(ms)}` }
}

/** Text for incidents, on the status page and in its feed. All times are UTC. */
export const incidentWords = {
  title: words({ en: 'Incidents', de: 'Vorfälle' }),
  none: words({
    en: 'No incidents recorded in the last 90 days.',
    de: 'In den letzten 90 Tagen wurden keine Vorfälle aufgezeichnet.',
  }),
  ongoing: words({ en: 'Ongoing', de: 'Andauernd' }),
  earlier: words({ en: 'Earlier incidents', de: 'Frühere Vorfälle' }),
  /** For example “Down for 12 minutes”. */
  length(incident: Incident, nowMs: number): Words {
    const { en, de } = lengthOf(incident, nowMs)
    return words({ en: `Down for ${en}`, de: `Ausfall: ${de}` })
  },
  /** For example “5 January, 13:05 to 13:17”. */
  period({ beganAtMs, endedAtMs, isHostingOff }: Incident): Words {
    const from = dateAndTime(beganAtMs)
    if (endedAtMs === null) return words({ en: `Since ${from.en}`, de: `Seit ${from.de}` })
    const isSameDay = dayAndMonth(beganAtMs).en === dayAndMonth(endedAtMs).en
    const to = isSameDay ? { en: hourAndMinute(endedAtMs), de: hourAndMinute(endedAtMs) } : dateAndTime(endedAtMs)
    const off = isHostingOff ? { en: ', then hosting off', de: ', dann Hosting inaktiv' } : { en: '', de: '' }
    return words({ en: `${from.en} to ${to.en}${off.en}`, de: `${from.de} bis ${to.de}${off.de}` })
  },
  /** Shown at the top of the status page, after the explanation of the state. */
  downFor(incident: Incident, nowMs: number): Words {
    const { en, de } = lengthOf(incident, nowMs)
    return words({ en: `Down for ${en}.`, de: `Ausfall bisher: ${de}.` })
  },
  subscribe: {
    title: words({ en: 'Subscribe', de: 'Abonnieren' }),
    about: words({
      en: 'Follow incidents and notices in your feed reader.',
      de: 'Verfolgen Sie Vorfälle und Mitteilungen in Ihrem Feedreader.',
    }),
    openFeed: words({ en: 'Open Atom feed', de: 'Atom-Feed öffnen' }),
  },
  feed: {
    title: (name: string): Words => words({ en: html`Status of ${name}`, de: html`Status von ${name}` }),
    notice: (name: string, text: string): Words =>
      words({ en: html`${name}: notice: ${text}`, de: html`${name}: Mitteilung: ${text}` }),
    entry(name: string, incident: Incident): Words {
      if (incident.endedAtMs === null) return words({ en: html`${name} is down`, de: html`${name} ist ausgefallen` })
      const { en, de } = lengthOf(incident, incident.endedAtMs)
      return words({ en: html`${name} was down for ${en}`, de: html`${name}: Ausfall (${de})` })
    },
    inUtc: (period: Words): Words => words({ en: html`${period} (UTC).`, de: html`${period} (UTC).` }),
  },
}
