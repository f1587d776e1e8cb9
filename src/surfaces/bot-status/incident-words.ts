import type { Incident } from '../../domain/bots/status/incidents.ts'
import { html, type Words, words } from '../../pages/html.ts'
import { dayAndMonth, durationInSentence } from '../../pages/words/figures.ts'
import { hourAndMinute } from './words.ts'

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
    aboutMail: words({
      en: 'Get emails about outages, or follow incidents and notices in your feed reader.',
      de: 'Erhalten Sie E-Mails über Ausfälle oder verfolgen Sie Vorfälle und Mitteilungen in Ihrem Feedreader.',
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
