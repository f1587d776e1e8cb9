import type { ShownEvent } from '../../domain/audit/audit.ts'
import type { FlowChange, WebhookChange } from '../../domain/bots/flows/flow.ts'
import type { UserId } from '../../domain/ids-and-secrets.ts'
import { type Html, html, type Text, t, type Words } from '../html.ts'
import type { Sites } from '../places.ts'

export interface ActivityReader {
  userId: UserId
  sites: Sites
}

/** The object of an event, inside its sentence: a link or, if it is gone, its recorded name or its ID. */
export interface Objects {
  /** The actor, at the beginning of a sentence. Languages with an auxiliary verb include it: “Sie haben”. */
  who: Words
  application: Text
  /** The application at the beginning of a sentence, like `who`. */
  startingWithApplication: Words
  bot: Html
  flow: Html
  runtime: Html
  coworker: Html
  subscription: Html
  webhook: Html | undefined
  /** Whether the event concerns the reader's own account. */
  isOwn: boolean
  /** The user whom the event concerns, inside a sentence: “user bob”. */
  owner: Words
  /** Returns the text as a link to a page of the reader's own account, if the event concerns that account. */
  inAccount(path: string, text: Text): Html
}

export function objectsOf(event: ShownEvent, { userId: reader, sites }: ActivityReader): Objects {
  const { actor, userId, botId, detail, names } = event
  const own = userId === reader
  const application = applicationOf(event, own, sites)
  const startingWithApplication =
    application === undefined ? t.in('actor')`Application ${event.applicationId}` : t.in('actor')`${application}`
  const someUser = userId === null ? t.in('actor')`A user` : t.in('actor')`User ${userId}`
  const who = {
    user: own ? t.in('actor')`You` : someUser,
    client: startingWithApplication,
    operator: t.in('actor')`The operator`,
    nobody: t.in('actor')`Someone`,
  }[actor]
  /** Links to a page of the bot, if the reader may open it. */
  const onBot = (path: string, text: Text) =>
    names.bot === null ? html`${text}` : link(`${sites.base}/bots/${botId}${path}`, text)
  const { event: webhook } = detail
  return {
    who,
    application: application ?? t`application ${event.applicationId}`,
    startingWithApplication,
    bot: onBot('', names.bot ?? botId ?? ''),
    flow: names.flow === null ? html`${detail.name ?? detail.flow}` : onBot(`/flows/${detail.flow}`, names.flow),
    runtime: runtimeOf(event, onBot, sites),
    coworker: onBot('/coworkers', names.coworker ?? detail.coworker ?? ''),
    subscription:
      names.subscription === null
        ? html`${detail.host ?? detail.subscription}`
        : link(`${sites.base}/account/subscriptions/${detail.subscription}`, new URL(names.subscription).host),
    webhook: webhook === undefined ? undefined : onBot(`/deliveries/${webhook}`, html`<code>${webhook}</code>`),
    isOwn: own,
    owner: userId === null ? t`a user` : t`user ${userId}`,
    inAccount: (path, text) => (own ? link(`${sites.base}/account${path}`, text) : html`${text}`),
  }
}

/** Returns the application's name, as a link if it still exists. `undefined` if the event didn't record the name. */
function applicationOf(
  { applicationId, applicationName, names }: ShownEvent,
  own: boolean,
  { base, portal }: Sites,
): Html | undefined {
  if (applicationName === null) return undefined
  const href = names.application === null ? own && `${base}/account/applications` : `${portal}/apps/${applicationId}`
  return href === false ? html`${applicationName}` : link(href, applicationName)
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

/** Names of the members that an API call or a form changed, as users know them. */
const memberWords = {
  name: t`name`,
  email: t`email address`,
  password: t`password`,
  pin: t`PIN`,
  chatPlatformId: t`ID on the chat platform`,
  codeHostingId: t`ID on the code-hosting platform`,
  ownerId: t`owner`,
  websiteUrl: t`website URL`,
  redirectUris: t`redirect URIs`,
  environment: t`environment`,
  firstParty: t`part of the platform`,
  verified: t`verification`,
  requirePkce: t`PKCE requirement`,
  role: t`role`,
  capabilities: t`extra permissions`,
  kind: t`kind`,
  publicCode: t`public code`,
  webhook: t`webhook settings`,
  ordered: t`strict order`,
  dedupe: t`duplicates`,
  signature: t`signature`,
  endsPreviousSecret: t`end of the previous secret`,
  requiresKey: t`key requirement`,
  ownerRequiresKey: t`key requirement`,
  path: t`path`,
} as const satisfies Record<FlowMember, Words> & Record<string, Words>

type FlowMember = Exclude<keyof FlowChange | keyof WebhookChange, 'clearTextKey'>

/** @param members the names in an event's detail. */
export function membersInWords(members: string | undefined): Html | undefined {
  if (members === undefined || members === '') return undefined
  const all = [
    ...new Set(
      members
        .split(', ')
        .map((member) =>
          Object.hasOwn(memberWords, member) ? memberWords[member as keyof typeof memberWords] : t`another setting`,
        ),
    ),
  ]
  return html`${t`${t`Fields`}: ${html`${all.map((member, at) => html`${at > 0 && ', '}${member}`)}`}`}`
}
