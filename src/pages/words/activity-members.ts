import type { FlowChange, WebhookChange } from '../../domain/bots/flows/flow-change.ts'
import { type Html, html, t, type Words } from '../html.ts'

/**
 * Names of the members that an API call or a form changed, as users know them. They come from the request bodies of the
 * control API, and from the flow settings.
 */
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
