import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Applications } from '../../domain/applications/applications.ts'
import type { Bots } from '../../domain/bots/bots.ts'
import type { UserId } from '../../domain/ids.ts'
import * as limits from '../../domain/limits/limits.ts'
import type { Mount } from '../../http/new-app.ts'
import type { Words } from '../../pages/html.ts'
import { sendPage } from '../../pages/page.ts'
import type { PageGuard } from '../../pages/page-guard.ts'
import type { BrowserSessions } from '../../pages/sessions.ts'
import { guideGroups } from './catalogue.ts'
import type { Guide, GuideBook } from './guide-book.ts'
import { guidePage, guidesPage, type Reader } from './guide-pages.ts'
import { guideUrl, type ServiceValues } from './guide-text.ts'
import { searchGuides } from './search.ts'
import { guideWords } from './words.ts'

type GuideServices = ReaderServices & {
  guard: PageGuard
  sessions: BrowserSessions
  book: GuideBook
}

/** Registers `/guides`, each guide as a page and as Markdown, and `/llms.txt`. None of them requires a session. */
export function guidesSurface(services: GuideServices): Mount {
  const { guard, sessions, book } = services

  return (app: FastifyInstance) => {
    app.get('/guides', async (request, reply) => {
      const { q } = request.query as Record<string, unknown>
      const search = typeof q === 'string' ? q.trim().slice(0, limits.guideSearchMaxCharacters) : ''
      const guides = book.all()
      const person = await guard.person(request, reply)
      return sendPage(reply, guidesPage(person, guides, search, await searchGuides(guides, search)))
    })

    app.get('/guides/:name', async (request, reply) => {
      const [, name = '', asMarkdown] = /^(.+?)(\.md)?$/s.exec((request.params as { name: string }).name) ?? []
      const guide = book.find(name)
      if (guide === undefined) return reply.callNotFound()
      if (asMarkdown !== undefined) return sendText(reply, 'text/markdown', guide.text)
      const session = await sessions.current(request)
      const reader = session && (await readerOf(services, session.userId))
      const { application, bot } = reader ?? {}
      const markup = book.render(guide, { clientId: application?.clientId, botId: bot?.id, path: bot?.path })
      return sendPage(reply, guidePage(await guard.person(request, reply), guide, markup, reader))
    })

    app.get('/llms.txt', async (_request, reply) => sendText(reply, 'text/plain', llmsTxt(book.all(), book.service)))
  }
}

/** Sends text that shared caches may store, because it is the same for all readers. */
function sendText(reply: FastifyReply, mediaType: string, text: string): FastifyReply {
  return reply
    .headers({
      'content-type': `${mediaType}; charset=utf-8`,
      'cache-control': `public, max-age=${limits.guideCacheSeconds}`,
      'x-content-type-options': 'nosniff',
    })
    .send(text)
}

interface ReaderServices {
  applications: Pick<Applications, 'owned'>
  bots: Pick<Bots, 'ownStatus' | 'flows'>
}

async function readerOf({ applications, bots }: ReaderServices, userId: UserId): Promise<Reader> {
  const [[application], listed] = await Promise.all([applications.owned.list(userId), bots.ownStatus.list(userId)])
  const bot = listed.at(-1)?.bot
  const flows = bot === undefined ? [] : await bots.flows.list(bot.id)
  const webhooks = flows.flatMap((flow) => flow.webhook ?? [])
  // Prefer a webhook that accepts the guides' example requests unchanged.
  const open = webhooks.find(({ requiresKey, signature }) => !requiresKey && signature === null)
  return { application, bot: bot && { name: bot.name, id: bot.id, path: (open ?? webhooks[0])?.path } }
}

/** Returns an index of the guides for language models, in the format of llmstxt.org. */
function llmsTxt(guides: readonly Guide[], { baseUrl, apiUrl, portalUrl }: ServiceValues): string {
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
