import type { ShownEvent } from '../../domain/audit/audit.ts'
import type { UserId } from '../../domain/ids.ts'
import { type Html, html, type Text, type Words, words } from '../html.ts'
import type { Sites } from '../places.ts'

export interface ActivityReader {
  userId: UserId
  sites: Sites
}

/**
 * What an event is about, for use inside its sentence. An object that still exists is a link to its page. One that
 * doesn't is its name if the event recorded it, and else its ID.
 */
export interface Objects {
  /** Returns a sentence about the actor. `de` follows the auxiliary verb, as in “Sie haben”. */
  did(en: Text, de: Text): Words
  /** The application. `starts` is the form for the beginning of a sentence. */
  application: { en: Html; de: Html; starts: { en: Html; de: Html } }
  bot: Html
  flow: Html
  runtime: Html
  coworker: Html
  subscription: Html
  /** The webhook, if the event is about a single one. */
  webhook: Html | undefined
  /** Possessive form of the user whom the event concerns: “your”, “user bob’s”. */
  whose: string
  /** German phrase for something that belongs to the user: “Ihre PIN”, “die PIN von Benutzer bob”. */
  deOf(own: string, article: string, thing: Text): Html
  /** Returns the text as a link to a page of the reader's own account, if the event concerns that account. */
  inAccount(path: string, text: Text): Html
}

export function objectsOf(event: ShownEvent, { userId: reader, sites }: ActivityReader): Objects {
  const { actor, userId, botId, detail, names } = event
  const own = userId === reader
  const user =
    userId === null ? { en: 'A user', de: 'Ein Benutzer' } : { en: `User ${userId}`, de: `Benutzer ${userId}` }
  const application = applicationOf(event, own, sites)
  const who: { en: Text; de: Text } = {
    user: own ? { en: 'You', de: 'Sie haben' } : { en: user.en, de: `${user.de} hat` },
    client: { en: application.starts.en, de: html`${application.starts.de} hat` },
    operator: { en: 'An administrator', de: 'Ein Administrator hat' },
    nobody: { en: 'Someone', de: 'Jemand hat' },
  }[actor]
  const of = userId === null ? 'einem Benutzer' : user.de
  /** Links to a page of the bot, if the reader may open it. */
  const onBot = (path: string, text: Text) =>
    names.bot === null ? html`${text}` : link(`${sites.base}/bots/${botId}${path}`, text)
  const { event: webhook } = detail
  return {
    did: (en, de) => words({ en: html`${who.en} ${en}`, de: html`${who.de} ${de}` }),
    application,
    bot: onBot('', names.bot ?? botId ?? ''),
    flow: names.flow === null ? html`${detail.name ?? detail.flow}` : onBot(`/flows/${detail.flow}`, names.flow),
    runtime: runtimeOf(event, onBot, sites),
    coworker: onBot('/coworkers', names.coworker ?? detail.coworker ?? ''),
    subscription:
      names.subscription === null
        ? html`${detail.host ?? detail.subscription}`
        : link(`${sites.base}/account/subscriptions/${detail.subscription}`, new URL(names.subscription).host),
    webhook: webhook === undefined ? undefined : onBot(`/deliveries/${webhook}`, html`<code>${webhook}</code>`),
    whose: own ? 'your' : `${user.en.replace('User', 'user').replace('A ', 'a ')}’s`,
    deOf: (ihr, article, thing) => (own ? html`${ihr} ${thing}` : html`${article} ${thing} von ${of}`),
    inAccount: (path, text) => (own ? link(`${sites.base}/account${path}`, text) : html`${text}`),
  }
}

function applicationOf(
  { applicationId, applicationName, names }: ShownEvent,
  own: boolean,
  { base, portal }: Sites,
): Objects['application'] {
  const href = names.application === null ? own && `${base}/account/applications` : `${portal}/apps/${applicationId}`
  const name = (unknown: string) => {
    const text = applicationName ?? `${unknown} ${applicationId ?? ''}`
    return href === false || applicationName === null ? html`${text}` : link(href, text)
  }
  return {
    en: name('application'),
    de: name('Anwendung'),
    starts: { en: name('Application'), de: name('Anwendung') },
  }
}

function runtimeOf(
  { botId, detail, names }: ShownEvent,
  onBot: (path: string, text: Text) => Html,
  { base }: Sites,
): Html {
  if (names.runtime === null) return html`${detail.name ?? detail.runtime}`
  // A runtime of several bots is on the page of each of them.
  return botId === null
    ? link(`${base}/bots`, names.runtime)
    : onBot(`/runtimes#runtime-${detail.runtime}`, names.runtime)
}

function link(href: string, text: Text): Html {
  return html`<a href="${href}">${text}</a>`
}
