import type { HostingLocation } from '../../domain/bots/bot.ts'
import type { Presence } from '../../domain/bots/flows/gateway-snapshot.ts'
import type { BotState } from '../../domain/bots/status/bot-status.ts'
import type { StatusFigures } from '../../domain/bots/status/status-span.ts'
import { html, type Text, type Words, words } from '../../pages/html.ts'
import { durationInSentence } from '../../pages/words/durations.ts'
import { dayAndMonth, decimalWords } from '../../pages/words/figures.ts'

/** Public states of a bot. `inSentence` follows the bot’s name. */
export const botStates: Readonly<Record<BotState, { word: Words; inSentence: Words; meaning: Words }>> = {
  online: {
    word: words({ en: 'Online', de: 'Online' }),
    inSentence: words({ en: 'online', de: 'online' }),
    meaning: words({
      en: 'It is connected to the chat platform.',
      de: 'Er ist mit der Chat-Plattform verbunden.',
    }),
  },
  connecting: {
    word: words({ en: 'Connecting', de: 'Verbindet sich' }),
    inSentence: words({ en: 'connecting', de: 'verbindet sich' }),
    meaning: words({
      en: 'It is running, and not connected to the chat platform yet.',
      de: 'Er läuft und ist mit der Chat-Plattform noch nicht verbunden.',
    }),
  },
  offline: {
    word: words({ en: 'Offline', de: 'Offline' }),
    inSentence: words({ en: 'offline', de: 'offline' }),
    meaning: words({
      en: 'Its hosting is on, but nothing runs it right now.',
      de: 'Sein Hosting ist an, aber gerade betreibt ihn nichts.',
    }),
  },
  'hosting-off': {
    word: words({ en: 'Hosting off', de: 'Hosting aus' }),
    inSentence: words({ en: 'hosting off', de: 'Hosting aus' }),
    meaning: words({
      en: 'Its owner has switched its hosting off.',
      de: 'Sein Hosting ist ausgeschaltet.',
    }),
  },
}

const clock = (ms: number) => new Date(ms).toISOString().slice(11, 16)

/** Returns a share as a percentage, rounded down. Only an uninterrupted time is `100 %`. */
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
    return {
      en: `${en} online, interrupted for ${down.en}`,
      de: `${de} online, Unterbrechung: ${down.de}`,
    }
  }
  if (upMs > 0) {
    return hostingOffMs > 0
      ? { en: `online, hosting off for ${off.en}`, de: `online, Hosting aus: ${off.de}` }
      : { en: 'online', de: 'online' }
  }
  return hostingOffMs > 0 ? { en: 'hosting off', de: 'Hosting aus' } : { en: 'not known', de: 'nicht bekannt' }
}

function stretch(said: { en: string; de: string; fromEn: string; fromDe: string }, to: Words) {
  const { en, de, fromEn, fromDe } = said
  return {
    title: words({ en, de }),
    withFigure: (figure: Text): Words => words({ en: html`${en}: ${figure}`, de: html`${de}: ${figure}` }),
    notOnline: words({ en: `${en}: what was not online`, de: `${de}: was nicht online war` }),
    from: words({ en: fromEn, de: fromDe }),
    to,
  }
}

/** Texts of the status page, in the order of its parts, and of its error pages. */
export const botStatusWords = {
  title: (name: string, is: Words): Words => words({ en: html`${name}: ${is}`, de: html`${name}: ${is}` }),
  notice: {
    title: words({ en: 'From the bot’s owner', de: 'Mitteilung zum Bot' }),
    set: (when: Text): Words => words({ en: html`Set ${when}`, de: html`Eingestellt ${when}` }),
  },
  facts: {
    presence: words({ en: 'Presence', de: 'Anwesenheit' }),
    presences: {
      online: words({ en: 'Online', de: 'Online' }),
      idle: words({ en: 'Idle', de: 'Abwesend' }),
      dnd: words({ en: 'Do not disturb', de: 'Bitte nicht stören' }),
      invisible: words({ en: 'Invisible', de: 'Unsichtbar' }),
    } satisfies Record<Presence, Words>,
    uptime: words({ en: 'Uptime', de: 'Laufzeit' }),
    servers: words({ en: 'Servers', de: 'Server' }),
    shards: words({ en: 'Shards', de: 'Shards' }),
    hosting: words({ en: 'Hosting', de: 'Hosting' }),
    locations: {
      local: words({ en: 'Local', de: 'Lokal' }),
      cloud: words({ en: 'Cloud', de: 'Cloud' }),
    } satisfies Record<HostingLocation, Words>,
    noLocation: words({ en: 'No location given', de: 'Kein Ort angegeben' }),
    lastHeartbeat: words({ en: 'Last heartbeat', de: 'Letztes Lebenszeichen' }),
    never: words({ en: 'Never', de: 'Nie' }),
    chatPlatformId: words({ en: 'Chat-platform id', de: 'Id auf der Chat-Plattform' }),
    notKnown: words({ en: 'Not known', de: 'Nicht bekannt' }),
  },
  history: {
    day: stretch(
      { en: 'Last 24 hours', de: 'Letzte 24 Stunden', fromEn: '24 hours ago', fromDe: 'vor 24 Stunden' },
      words({ en: 'Now', de: 'jetzt' }),
    ),
    days: stretch(
      { en: 'Last 90 days', de: 'Letzte 90 Tage', fromEn: '90 days ago', fromDe: 'vor 90 Tagen' },
      words({ en: 'Today', de: 'heute' }),
    ),
    /** @param of `null` if nothing is known about that time. */
    figure: (of: number | null): Words =>
      of === null ? words({ en: 'No figure yet', de: 'Noch keine Zahl' }) : onlineFor(of),
    quarter: ({ startMs, endMs }: { startMs: number; endMs: number }): Words =>
      words({
        en: `${dayAndMonth(startMs).en}, ${clock(startMs)} to ${clock(endMs)}`,
        de: `${dayAndMonth(startMs).de}, ${clock(startMs)} bis ${clock(endMs)}`,
      }),
    inDays: ({ startMs, endMs }: { startMs: number; endMs: number }): Words => {
      const [first, last] = [dayAndMonth(startMs), dayAndMonth(endMs - 1)]
      return words(first.en === last.en ? first : { en: `${first.en} to ${last.en}`, de: `${first.de} bis ${last.de}` })
    },
    bar: (when: Words, figures: StatusFigures): Words => {
      const { en, de } = barWords(figures)
      return words({ en: html`${when}: ${en}`, de: html`${when}: ${de}` })
    },
    length: (ms: number): Words => words(ms === 0 ? { en: '–', de: '–' } : durationInSentence(ms)),
    when: words({ en: 'When', de: 'Wann' }),
    online: words({ en: 'Online', de: 'Online' }),
    interrupted: words({ en: 'Interrupted', de: 'Unterbrochen' }),
    hostingOff: words({ en: 'Hosting off', de: 'Hosting aus' }),
    explain: words({
      en: 'Time with hosting off, and time that is not known, count for nothing in the figures. All times are UTC.',
      de: 'Zeiten mit ausgeschaltetem Hosting und Zeiten, von denen nichts bekannt ist, zählen in den Zahlen nicht. Alle Zeiten sind UTC.',
    }),
  },
  page: {
    asOf: (time: string): Words =>
      words({
        en: `As of ${time} UTC. Reload the page for the latest.`,
        de: `Stand: ${time} UTC. Laden Sie die Seite neu, um den neuesten zu sehen.`,
      }),
    live: words({
      en: 'Live: what changes shows here by itself.',
      de: 'Live: Was sich ändert, zeigt sich hier von selbst.',
    }),
    lost: words({
      en: 'The connection is lost; it is tried again.',
      de: 'Die Verbindung ist abgebrochen; sie wird wieder aufgebaut.',
    }),
    looked: words({ en: 'Looked at every 15 seconds.', de: 'Alle 15 Sekunden nachgesehen.' }),
    forPrograms: (address: string): Words =>
      words({
        en: html`Programs read the same <a href="${address}">as JSON</a>.`,
        de: html`Programme lesen dasselbe <a href="${address}">als JSON</a>.`,
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
      en: 'Your network asked for more than 60 status pages within a minute, or more people look right now than can be served.',
      de: 'Ihr Netz hat in einer Minute mehr als 60 Statusseiten abgerufen, oder gerade sehen mehr Menschen zu, als bedient werden können.',
    }),
    whatToDo: (wait: { en: string; de: string }): Words =>
      words({ en: `Try again in ${wait.en}.`, de: `Versuchen Sie es in ${wait.de} noch einmal.` }),
  },
  nothingToSee: {
    what: words({ en: 'There is no status to see here', de: 'Hier ist kein Status zu sehen' }),
    why: words({
      en: 'No bot has this id, or its owner has not opened its status to the public.',
      de: 'Kein Bot hat diese Id, oder sein Status ist nicht öffentlich.',
    }),
    whatToDo: words({
      en: 'Check the address. If the bot is yours, switch its public status on.',
      de: 'Prüfen Sie die Adresse. Gehört der Bot Ihnen, schalten Sie seinen öffentlichen Status ein.',
    }),
  },
}

/** Legend of a strip. */
export const stripWords = {
  online: words({ en: 'Online', de: 'Online' }),
  interrupted: words({ en: 'Interrupted', de: 'Unterbrochen' }),
  hostingOff: words({ en: 'Hosting off', de: 'Hosting aus' }),
  notKnown: words({ en: 'Not known', de: 'Nicht bekannt' }),
}
