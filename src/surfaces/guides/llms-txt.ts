import type { Words } from '../../pages/html.ts'
import { guideGroups } from './catalogue.ts'
import type { Guide } from './guide-book.ts'
import { guideUrl, type ServiceValues } from './guide-text.ts'
import { guideWords } from './words.ts'

/** Returns an index of the guides for language models, in the format of llmstxt.org. */
export function llmsTxt(guides: readonly Guide[], { baseUrl, apiUrl, portalUrl }: ServiceValues): string {
  const english = (text: Words | string) => (typeof text === 'string' ? text : text.in('en'))
  const item = ({ entry, title }: Guide) =>
    `- [${title}](${guideUrl(portalUrl, entry.name)}): ${english(guideWords.about[entry.name])}`
  const sections = guideGroups.map(
    (group) =>
      `## ${english(guideWords.groups[group])}\n\n${guides
        .filter(({ entry }) => entry.group === group)
        .map(item)
        .join('\n')}\n`,
  )
  return `# Gatehouse

> OAuth 2.0 sign-in (authorization code grant), a webhook gateway and the status of chat bots. Developers register applications at ${portalUrl}.

The identity service is ${baseUrl}, the webhook gateway is ${apiUrl}, the developer portal is ${portalUrl}.

${sections.join('\n')}
## API descriptions

- [OpenAPI](${apiUrl}/openapi.json): OpenAPI 3.1 of the OAuth endpoints
- [OpenAPI of the API for owners](${baseUrl}/api/openapi.json): OpenAPI 3.1 of deliveries, flows, keys, runtimes and logs
- [Server metadata](${baseUrl}/.well-known/oauth-authorization-server): endpoints, scopes and methods (RFC 8414)
`
}
