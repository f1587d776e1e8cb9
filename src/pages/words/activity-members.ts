import type { FlowChange, WebhookChange } from '../../domain/bots/flows/flow-change.ts'
import { type Html, html, type Words, words } from '../html.ts'

/**
 * Names of the members that an API call or a form changed, as users know them. They come from the request bodies of the
 * control API, and from the flow settings.
 */
const memberWords = {
  name: words({ en: 'name', de: 'Name' }),
  email: words({ en: 'email address', de: 'E-Mail-Adresse' }),
  password: words({ en: 'password', de: 'Passwort' }),
  pin: words({ en: 'PIN', de: 'PIN' }),
  chatPlatformId: words({ en: 'ID on the chat platform', de: 'ID auf der Chat-Plattform' }),
  codeHostingId: words({ en: 'ID on the code-hosting platform', de: 'ID auf der Code-Plattform' }),
  ownerId: words({ en: 'owner', de: 'Eigentümer' }),
  websiteUrl: words({ en: 'website URL', de: 'Website-URL' }),
  redirectUris: words({ en: 'redirect URIs', de: 'Redirect-URIs' }),
  environment: words({ en: 'environment', de: 'Umgebung' }),
  firstParty: words({ en: 'part of the platform', de: 'Teil der Plattform' }),
  verified: words({ en: 'verification', de: 'Prüfung' }),
  requirePkce: words({ en: 'PKCE requirement', de: 'PKCE-Pflicht' }),
  role: words({ en: 'role', de: 'Rolle' }),
  capabilities: words({ en: 'extra permissions', de: 'zusätzliche Rechte' }),
  kind: words({ en: 'kind', de: 'Art' }),
  publicCode: words({ en: 'public code', de: 'öffentlicher Code' }),
  webhook: words({ en: 'webhook settings', de: 'Webhook-Einstellungen' }),
  ordered: words({ en: 'strict order', de: 'strikte Reihenfolge' }),
  dedupe: words({ en: 'duplicates', de: 'Duplikate' }),
  signature: words({ en: 'signature', de: 'Signatur' }),
  requiresKey: words({ en: 'key requirement', de: 'Schlüsselpflicht' }),
  ownerRequiresKey: words({ en: 'key requirement', de: 'Schlüsselpflicht' }),
  path: words({ en: 'path', de: 'Pfad' }),
} as const satisfies Record<FlowMember, Words> & Record<string, Words>

type FlowMember = Exclude<keyof FlowChange | keyof WebhookChange, 'clearTextKey'>

const another = words({ en: 'another setting', de: 'eine weitere Einstellung' })

/** @param members the names in an event's detail. */
export function membersInWords(members: string | undefined): Html | undefined {
  if (members === undefined || members === '') return undefined
  const all = [
    ...new Set(
      members
        .split(', ')
        .map((member) =>
          Object.hasOwn(memberWords, member) ? memberWords[member as keyof typeof memberWords] : another,
        ),
    ),
  ]
  const title = words({ en: 'Fields', de: 'Felder' })
  return html`${title}: ${all.map((member, at) => html`${at > 0 && ', '}${member}`)}`
}
